{{/*
The flags of the program by name, as JSON: those of `config` and those that other values set. Arguments and rights follow from
them, as in the program. Those that may hold a password are in reloader.secretFlags.
*/}}
{{- define "reloader.flags" -}}
{{- $tables := .Files.Get "files/tables.yaml" | fromYaml }}
{{- $r := .Values.reloader }}
{{- $flags := dict "port" 9090 "health-port" 8081 "configmap" "reloader-state" "state-namespace" (include "reloader.namespace" .) }}
{{- range $key, $value := .Values.config }}
{{- if not (or (kindIs "invalid" $value) (has $key $tables.secret)) }}
{{- $_ := set $flags (kebabcase $key) $value }}
{{- end }}
{{- end }}
{{- if $r.watchGlobally }}
{{- $_ := set $flags "all-namespaces" true }}
{{- $_ := set $flags "namespaces-to-ignore" (include "reloader.names" $r.ignoreNamespaces | fromJsonArray) }}
{{- $_ := set $flags "namespace-selector" $r.namespaceSelector }}
{{- else }}
{{- $_ := set $flags "namespace" (include "reloader.watched" . | fromJsonArray) }}
{{- end }}
{{- $_ := set $flags "resource-label-selector" $r.resourceLabelSelector }}
{{- $_ := set $flags "ignored-config-resource-types" (list) }}
{{- if $r.ignoreSecrets }}{{ $_ := set $flags "ignored-config-resource-types" (list "secrets") }}{{ end }}
{{- if $r.ignoreConfigMaps }}{{ $_ := set $flags "ignored-config-resource-types" (list "configmaps") }}{{ end }}
{{- range $key := list "autoReloadAll" "reloadOnCreate" "reloadOnDelete" }}
{{- if get $r $key }}{{ $_ := set $flags (kebabcase $key) true }}{{ end }}
{{- end }}
{{- range $key, $flag := dict "isArgoRollouts" "is-Argo-Rollouts" "isOpenshift" "is-openshift" "enableCSIIntegration" "enable-csi-integration" }}
{{- $value := get $r $key }}
{{- if kindIs "bool" $value }}{{ $_ := set $flags $flag (toString $value) }}{{ end }}
{{- end }}
{{- $_ := set $flags "reload-strategy" (eq $r.reloadStrategy "default" | ternary nil $r.reloadStrategy) }}
{{- $_ := set $flags "cronjob-reload" (empty $r.ignoreCronJobs | ternary "run-now" nil) }}
{{- $jobs := get $flags "job-reload" | default "recreate" }}
{{- $_ := set $flags "job-reload" (or $r.ignoreJobs (eq $jobs "none") | empty | ternary $jobs nil) }}
{{- $_ := set $flags "log-level" $r.logLevel }}
{{- $_ := set $flags "log-format" $r.logFormat }}
{{- range $key, $value := $r.leaderElection }}
{{- $_ := set $flags (printf "leader-election-%s" (kebabcase $key)) $value }}
{{- end }}
{{- range $key, $flag := $tables.annotations }}
{{- $_ := set $flags $flag (get ($r.custom_annotations | default dict) $key) }}
{{- end }}
{{- with .Values.admission }}
{{- if .enabled }}
{{- $_ := set $flags "webhook-port" .port }}
{{- $_ := set $flags "webhook-tls-directory" "/tls" }}
{{- end }}
{{- end }}
{{- range $name, $value := $flags }}
{{- if or (kindIs "invalid" $value) (eq (toString $value) "") (eq (toString $value) "[]") }}
{{- $_ := unset $flags $name }}
{{- end }}
{{- end }}
{{- toJson $flags }}
{{- end }}

{{/* What is watched where not all namespaces are: the release's unless watchOwnNamespace is false, and those of reloader.namespaces, as a JSON list. */}}
{{- define "reloader.watched" -}}
{{- $own := ternary list (list (include "reloader.namespace" .)) (eq (toString .Values.watchOwnNamespace) "false") }}
{{- include "reloader.names" .Values.reloader.namespaces | fromJsonArray | concat $own | uniq | sortAlpha | toJson }}
{{- end }}

{{/* Namespaces whose writes do not ask the webhook, as a JSON list: those of the cluster itself among them. */}}
{{- define "reloader.unwatched" -}}
{{- $all := list "kube-system" "kube-public" "kube-node-lease" }}
{{- include "reloader.names" .Values.reloader.ignoreNamespaces | fromJsonArray | concat $all | uniq | toJson }}
{{- end }}

{{/* A list of names, or a comma list, as a JSON list. */}}
{{- define "reloader.names" -}}
{{- $names := list }}
{{- range kindIs "slice" . | ternary . (. | default "" | toString | splitList ",") }}{{ with trim . }}{{ $names = append $names . }}{{ end }}{{ end }}
{{- toJson $names }}
{{- end }}

{{/* A value as the text that values have, which is empty for null; Go would write a number of seven digits as 1e+06. */}}
{{- define "reloader.text" -}}
{{- if kindIs "string" . }}{{ . }}{{ else if not (kindIs "invalid" .) }}{{ toJson . }}{{ end }}
{{- end }}

{{/* The arguments of the container. */}}
{{- define "reloader.args" -}}
{{- range $name, $value := include "reloader.flags" . | fromJson }}
{{- if kindIs "slice" $value }}{{ $value = join "," $value }}{{ end }}
- {{ eq (toJson $value) "true" | ternary (printf "--%s" $name) (printf "--%s=%s" $name (include "reloader.text" $value)) | quote }}
{{- end }}
{{- range .Values.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end }}

{{/* The flags that may hold a password, by name, as JSON. */}}
{{- define "reloader.secretFlags" -}}
{{- $flags := dict }}
{{- with .Values.reloader.webhookUrl }}{{ $_ := set $flags "webhook-url" . }}{{ end }}
{{- range $key := (.Files.Get "files/tables.yaml" | fromYaml).secret }}
{{- with get $.Values.config $key }}{{ $_ := set $flags (kebabcase $key) . }}{{ end }}
{{- end }}
{{- toJson $flags }}
{{- end }}

{{/* The variables that may hold a password, by name, as JSON: they are in a Secret. */}}
{{- define "reloader.secrets" -}}
{{- $secrets := dict }}
{{- range $name, $value := .Values.reloader.deployment.env.secret }}
{{- with $value }}{{ $_ := set $secrets $name (include "reloader.text" .) }}{{ end }}
{{- end }}
{{- range $flag, $value := include "reloader.secretFlags" . | fromJson }}
{{- $_ := set $secrets (printf "RELOADER_OPT_%s" (snakecase $flag | upper)) $value }}
{{- end }}
{{- toJson $secrets }}
{{- end }}

{{/* The variables of the container, as a JSON object by name. Each stands once: the last one wins, as in Stakater Reloader's chart. */}}
{{- define "reloader.env" -}}
{{- $env := dict "NODE_OPTIONS" (dict "value" "--max-old-space-size-percentage=60") }}
{{- $_ := set $env "POD_NAME" (dict "valueFrom" (dict "fieldRef" (dict "fieldPath" "metadata.name"))) }}
{{- $_ := set $env "POD_UID" (dict "valueFrom" (dict "fieldRef" (dict "fieldPath" "metadata.uid"))) }}
{{- if .Values.reloader.enableMetricsByNamespace }}
{{- $_ := set $env "METRICS_COUNT_BY_NAMESPACE" (dict "value" "enabled") }}
{{- end }}
{{- $given := .Values.reloader.deployment.env | default dict }}
{{- range $name, $value := $given.open }}
{{- with include "reloader.text" $value }}{{ $_ := set $env $name (dict "value" .) }}{{ end }}
{{- end }}
{{- $own := include "reloader-fullname" . }}
{{- range $name, $_ := include "reloader.secrets" . | fromJson }}
{{- $_ := set $env $name (dict "valueFrom" (dict "secretKeyRef" (dict "name" $own "key" $name))) }}
{{- end }}
{{- range $secret, $keys := $given.existing }}
{{- range $name, $key := $keys }}
{{- $_ := set $env $name (dict "valueFrom" (dict "secretKeyRef" (dict "name" $secret "key" $key))) }}
{{- end }}
{{- end }}
{{- range $name, $path := $given.field }}
{{- $_ := set $env $name (dict "valueFrom" (dict "fieldRef" (dict "fieldPath" $path))) }}
{{- end }}
{{- toJson $env }}
{{- end }}

{{- define "reloader.webhookSecret" -}}
{{- .Values.admission.secretName | default (include "reloader.webhook" .) }}
{{- end }}

{{/* How many pods run; only where an operator has chosen that, more than one. */}}
{{- define "reloader.replicas" -}}
{{- $given := .Values.reloader.deployment.replicas }}
{{- if kindIs "invalid" $given }}{{ $given = 1 }}{{ end }}
{{- if .Values.ha.enabled }}
{{- .Values.ha.replicas }}
{{- else if .Values.reloader.enableHA }}
{{- $given }}
{{- else }}
{{- min 1 $given }}
{{- end }}
{{- end }}

{{/* "true" where a ConfigMap without labels rolls a Deployment in the namespace of the release, as helm test tries. */}}
{{- define "reloader.canary" -}}
{{- $flags := include "reloader.flags" . | fromJson }}
{{- $hides := or (get $flags "dry-run") .Values.reloader.webhookUrl .Values.reloader.ignoreConfigMaps }}
{{- $selects := or (get $flags "namespace-selector") (get $flags "resource-label-selector") }}
{{- $own := include "reloader.namespace" . }}
{{- $ignores := has $own (include "reloader.names" .Values.reloader.ignoreNamespaces | fromJsonArray) }}
{{- if not .Values.reloader.watchGlobally }}{{ $ignores = not (has $own (include "reloader.watched" . | fromJsonArray)) }}{{ end }}
{{- $lacks := not (has "deployments" (include "reloader.workloads" . | fromJsonArray)) }}
{{- $silent := not (has "collaborne" (get $flags "dialects" | default (list "collaborne"))) }}
{{- if and .Values.reloader.rbac.enabled (not (or $hides $selects $ignores $lacks $silent)) }}true{{ end }}
{{- end }}
