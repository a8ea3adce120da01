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
- reloader.webhookUrl: it is told in place of every rollout, with reloader.custom_annotations or without
{{- end }}
{{- if $r.syncAfterRestart }}
- reloader.syncAfterRestart: always so: what changed while no reloader ran is rolled
{{- end }}
{{- if and (not $r.enableHA) (gt (int $d.replicas) 1) }}
- reloader.deployment.replicas: one pod runs; set reloader.enableHA=true or ha.enabled=true for more
{{- end }}
{{- if and $r.podDisruptionBudget.enabled (lt (include "reloader.replicas" . | int) 2) }}
- reloader.podDisruptionBudget: there is none, since it would keep nodes with the only pod from being drained
{{- end }}
{{- if $d.resources }}
- reloader.deployment.resources: this is another program; it takes 85 to 135 MB, and its chart says 128Mi and at most 256Mi
{{- end }}
{{- if or $r.enablePProf (ne (toString $r.pprofAddr) ":6060") }}
- reloader.enablePProf, reloader.pprofAddr: nothing is profiled over HTTP
{{- end }}
{{- if or $d.gomaxprocsOverride $d.gomemlimitOverride }}
- reloader.deployment.gomaxprocsOverride, .gomemlimitOverride: this is no Go program
{{- end }}
{{- if $d.imagePullSecrets }}
- reloader.deployment.imagePullSecrets: use global.imagePullSecrets
{{- end }}
{{- if and $r.serviceMonitor.enabled (not (.Capabilities.APIVersions.Has "monitoring.coreos.com/v1")) }}
- reloader.serviceMonitor: there is none, since the cluster has no monitoring.coreos.com/v1
{{- end }}
{{- if and $r.verticalPodAutoscaler.enabled (not (.Capabilities.APIVersions.Has "autoscaling.k8s.io/v1")) }}
- reloader.verticalPodAutoscaler: there is none, since the cluster has no autoscaling.k8s.io/v1
{{- end }}
{{- end }}

{{/* The values at the top that other charts have there, with the path that they have here, as JSON. */}}
{{- define "reloader.misplaced" -}}
{{- $found := dict }}
{{- range $key, $path := (.Files.Get "files/misplaced.yaml" | fromYaml) }}
{{- if hasKey $.Values $key }}{{ $_ := set $found $key $path }}{{ end }}
{{- end }}
{{- toJson $found }}
{{- end }}

{{- define "reloader.misplacedWords" -}}
{{- $words := list }}
{{- range $key, $path := . }}{{ $words = append $words (printf "%s (set %s)" $key $path) }}{{ end }}
{{- join ", " $words }}
{{- end }}

{{/* A line for the path of each of `values` that is not among `known`; null there has any members. */}}
{{- define "reloader.unknown" -}}
{{- range $key, $value := .values }}
{{- $path := printf "%s%s" $.path $key }}
{{- if not (hasKey $.known $key) }}
- {{ $path }}
{{- else if and (kindIs "map" $value) (kindIs "map" (get $.known $key)) }}
{{- include "reloader.unknown" (dict "values" $value "known" (get $.known $key) "path" (printf "%s." $path)) }}
{{- end }}
{{- end }}
{{- end }}
