{{/* What NOTES tell of values. */}}

{{/* A line for each value that means something else than in Stakater Reloader's chart. */}}
{{- define "reloader.differences" -}}
{{- $r := .Values.reloader }}
{{- $d := $r.deployment }}
{{- range $key, $value := $r.custom_annotations }}
{{- if and $value (has $key (list "configmap_exclude" "secret_exclude")) }}
- reloader.custom_annotations.{{ $key }}: this annotation cannot be renamed
{{- end }}
{{- end }}
{{- if $r.webhookUrl }}
- reloader.webhookUrl: each change is sent there in place of every rollout, whether or not reloader.custom_annotations is set
{{- end }}
{{- if $r.syncAfterRestart }}
- reloader.syncAfterRestart: always on: a change made while no reloader ran is rolled out
{{- end }}
{{- if and (not $r.enableHA) (gt (int $d.replicas) 1) }}
- reloader.deployment.replicas: one pod runs; set reloader.enableHA=true or ha.enabled=true for more
{{- end }}
{{- if and $r.podDisruptionBudget.enabled (lt (include "reloader.replicas" . | int) 2) }}
- reloader.podDisruptionBudget: not created: with one pod it would block every drain of the node
{{- end }}
{{- if $d.resources }}
- reloader.deployment.resources: this is another program, which needs 85 to 135 MB of memory. Without the value it requests 128Mi, and its limit is 256Mi
{{- end }}
{{- if or $r.enablePProf (ne (toString $r.pprofAddr) ":6060") }}
- reloader.enablePProf, reloader.pprofAddr: no effect: this program has no such pages
{{- end }}
{{- if or $d.gomaxprocsOverride $d.gomemlimitOverride }}
- reloader.deployment.gomaxprocsOverride, .gomemlimitOverride: no effect: this is not a Go program
{{- end }}
{{- if $d.imagePullSecrets }}
- reloader.deployment.imagePullSecrets: no effect, set global.imagePullSecrets
{{- end }}
{{- if and $r.serviceMonitor.enabled (not (.Capabilities.APIVersions.Has "monitoring.coreos.com/v1")) }}
- reloader.serviceMonitor: not created: the cluster does not serve monitoring.coreos.com/v1
{{- end }}
{{- if and $r.verticalPodAutoscaler.enabled (not (.Capabilities.APIVersions.Has "autoscaling.k8s.io/v1")) }}
- reloader.verticalPodAutoscaler: not created: the cluster does not serve autoscaling.k8s.io/v1
{{- end }}
{{- end }}

{{/* The values at the top that have no effect there, with the path that they have here, as JSON. */}}
{{- define "reloader.misplaced" -}}
{{- $known := (.Files.Get "files/tables.yaml" | fromYaml).known }}
{{- $paths := .Files.Get "files/misplaced.yaml" | fromYaml }}
{{- $found := dict }}
{{- range $key, $_ := .Values }}
{{- $path := get $paths $key | default (hasKey $known.reloader $key | ternary (printf "reloader.%s" $key) "") }}
{{- if and $path (not (hasKey $known $key)) }}{{ $_ := set $found $key $path }}{{ end }}
{{- end }}
{{- toJson $found }}
{{- end }}

{{- define "reloader.misplacedWords" -}}
{{- $words := list }}
{{- range $key, $path := . }}{{ $words = append $words (printf "%s (set %s)" $key $path) }}{{ end }}
{{- join ", " $words }}
{{- end }}

{{/* A line for the path of each of `values` that is not among `known`, where null has any members; `paths` have the right path of some. */}}
{{- define "reloader.unknown" -}}
{{- range $key, $value := .values }}
{{- $path := printf "%s%s" $.path $key }}
{{- if not (hasKey $.known $key) }}
- {{ $path }}{{ with get $.paths $key }}: set {{ . }}{{ end }}
{{- else if and (kindIs "map" $value) (kindIs "map" (get $.known $key)) }}
{{- include "reloader.unknown" (dict "values" $value "known" (get $.known $key) "path" (printf "%s." $path) "paths" (eq $path "reloader" | ternary $.paths dict)) }}
{{- end }}
{{- end }}
{{- end }}
