{{/* Values that cannot be followed end here, with what is wrong, where, and how to mend it. */}}
{{- define "reloader.check" -}}
{{- $r := .Values.reloader }}
{{- range $key := list "repository" "name" }}
{{- $image := get $.Values.image $key | toString }}
{{- if regexMatch "(^|/)stakater/reloader(-ubi)?$" $image }}
{{- fail (printf "image.%s is %s, the image of Stakater Reloader, which this chart does not start: name that of this reloader, or remove the value" $key $image) }}
{{- end }}
{{- end }}
{{- if regexMatch `^v(0\.0|1)\.` (toString .Values.image.tag) }}
{{- fail (printf "image.tag is %s, a version of Stakater Reloader: name one of this reloader, or remove the value, which then is %s" .Values.image.tag .Chart.AppVersion) }}
{{- end }}
{{- $several := or $r.enableHA .Values.ha.enabled }}
{{- $stamps := not (or .Values.config.dryRun $r.webhookUrl) }}
{{- $refused := dict
  "reloader.namespaces has no meaning where all namespaces are watched: set reloader.watchGlobally=false, or remove it"
  (and $r.watchGlobally $r.namespaces)
  "reloader.ignoreSecrets and reloader.ignoreConfigMaps are both true: nothing would be watched. Set one of them to false"
  (and $r.ignoreSecrets $r.ignoreConfigMaps)
  "config.leaderElect is false, so that of several pods each would act: remove it, or reloader.enableHA and ha.enabled"
  (and $several (eq (toString .Values.config.leaderElect) "false"))
  "ha.enabled and reloader.enableHA both say how many pods run: set one of them to false"
  (and .Values.ha.enabled $r.enableHA)
  "networkPolicy.enabled and reloader.netpol.enabled both make the NetworkPolicy: set one of them to false"
  (and .Values.networkPolicy.enabled $r.netpol.enabled)
  "admission.enabled has no meaning where no workload is stamped: remove it, or config.dryRun and reloader.webhookUrl"
  (and .Values.admission.enabled (not $stamps))
  "admission.certificate is secret: say in admission.secretName which Secret has tls.crt and tls.key"
  (and .Values.admission.enabled (eq .Values.admission.certificate "secret") (not .Values.admission.secretName))
  "admission.certificate is helm, whose Secret has the name of the Service: remove admission.secretName, or set admission.certificate"
  (and .Values.admission.enabled (eq .Values.admission.certificate "helm") .Values.admission.secretName)
  "config.secureMetrics needs a certificate: mount a Secret with tls.crt and tls.key (reloader.deployment.volumes and volumeMounts), and set config.metricsTlsDirectory to its folder"
  (and .Values.config.secureMetrics (not .Values.config.metricsTlsDirectory))
  "reloader.ignoreJobs is true and config.jobReload says how Jobs are created anew: remove one of them"
  (and $r.ignoreJobs .Values.config.jobReload)
}}
{{- range $sentence, $isSo := $refused }}
{{- if $isSo }}{{ fail $sentence }}{{ end }}
{{- end }}
{{- with include "reloader.misplaced" . | fromJson }}
{{- if $.Release.IsInstall }}
{{- fail (printf "these values have no effect: %s" (include "reloader.misplacedWords" . | trim)) }}
{{- end }}
{{- end }}
{{- $words := dict
  "logLevel" (list "debug" "info" "warn" "error" "trace" "warning" "fatal" "panic")
  "logFormat" (list "text" "json")
}}
{{- range $key, $allowed := $words }}
{{- $value := get $r $key | default "" | toString | lower }}
{{- if and $value (not (has $value $allowed)) }}
{{- fail (printf "reloader.%s is %s: set it to one of %s" $key $value (join ", " (slice $allowed 0 (min 4 (len $allowed))))) }}
{{- end }}
{{- end }}
{{- range .Values.config.ignoredWorkloadTypes }}
{{- $kind := lower . | trimSuffix "s" }}
{{- if has $kind (list "cronjob" "job") }}
{{- fail (printf "config.ignoredWorkloadTypes has %s: set reloader.%s=true in place of that" . (eq $kind "job" | ternary "ignoreJobs" "ignoreCronJobs")) }}
{{- end }}
{{- end }}
{{- range $key, $value := (.Files.Get "files/tables.yaml" | fromYaml).elsewhere }}
{{- if hasKey $.Values.config $key }}
{{- fail (printf "config.%s is set by another value: use %s" $key $value) }}
{{- end }}
{{- end }}
{{- include "reloader.check.fences" . }}
{{- include "reloader.check.flags" . }}
{{- end }}

{{/* Policies need an API server that knows them, and an account of their own; something has to be watched. */}}
{{- define "reloader.check.fences" -}}
{{- $flags := include "reloader.flags" . | fromJson }}
{{- if and .Values.fences.enabled (semverCompare "<1.30-0" .Capabilities.KubeVersion.Version) }}
{{- fail "fences.enabled needs the policies of Kubernetes 1.30: set it to false" }}
{{- end }}
{{- if and .Values.fences.enabled (eq (include "reloader-serviceAccountName" .) "default") }}
{{- fail "fences.enabled would fence all pods that have the account default: set reloader.serviceAccount.create=true, or name an account in reloader.serviceAccount.name" }}
{{- end }}
{{- if not .Values.reloader.watchGlobally }}
{{- $watched := get $flags "namespace" | default list }}
{{- if not $watched }}
{{- fail "watchOwnNamespace is false and reloader.namespaces is empty: nothing would be watched. Name the namespaces" }}
{{- end }}
{{- end }}
{{- end }}

{{/* No flag is set twice: not by an argument nor by a variable beside a value. */}}
{{- define "reloader.check.flags" -}}
{{- $set := dict }}
{{- range $flag, $_ := include "reloader.flags" . | fromJson }}{{ $_ := set $set (lower $flag) true }}{{ end }}
{{- range $flag, $_ := include "reloader.secretFlags" . | fromJson }}{{ $_ := set $set $flag true }}{{ end }}
{{- range .Values.extraArgs }}
{{- $flag := regexFind "^--[^=]+" . | trimPrefix "--" }}
{{- if hasKey $set (lower $flag) }}
{{- fail (printf "extraArgs has --%s, which another value sets: remove it, and set that value. The chart's README says which" $flag) }}
{{- end }}
{{- end }}
{{- $env := .Values.reloader.deployment.env }}
{{- $variables := dict "open" ($env.open | default dict) "field" ($env.field | default dict) "secret" ($env.secret | default dict) }}
{{- range $secret, $keys := $env.existing }}{{ $_ := set $variables (printf "existing.%s" $secret) $keys }}{{ end }}
{{- range $kind, $names := $variables }}
{{- range $name, $_ := $names }}
{{- $flag := $name | trimPrefix "RELOADER_OPT_" | lower | replace "_" "-" }}
{{- if and (regexMatch "^(RELOADER_OPT|ALERT)_" $name) (hasKey $set $flag) }}
{{- fail (printf "reloader.deployment.env.%s.%s sets --%s, which another value sets: remove one of them" $kind $name $flag) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
