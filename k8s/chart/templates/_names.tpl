{{/* Names, labels and the image. The first three templates have the names that other charts may include. */}}

{{- define "reloader-name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" | lower }}
{{- end }}

{{- define "reloader-fullname" -}}
{{- $name := printf "%s-%s" .Release.Name (.Values.nameOverride | default .Chart.Name) }}
{{- .Values.fullnameOverride | default $name | trunc 63 | trimSuffix "-" | lower }}
{{- end }}

{{- define "reloader-serviceAccountName" -}}
{{- $account := .Values.reloader.serviceAccount }}
{{- $account.name | default (empty $account.create | ternary "default" (include "reloader-fullname" .)) }}
{{- end }}

{{/* The Service that the API server asks; no name of a Service is longer than 63. */}}
{{- define "reloader.webhook" -}}
{{- include "reloader-fullname" . | trunc 55 | trimSuffix "-" }}-webhook
{{- end }}

{{/* The namespace of all objects. */}}
{{- define "reloader.namespace" -}}
{{- .Values.namespace | default .Release.Namespace }}
{{- end }}

{{/* Immutable in a Deployment: they never change. */}}
{{- define "reloader.selector" -}}
app: {{ include "reloader-fullname" . | quote }}
release: {{ .Release.Name | quote }}
{{- with .Values.reloader.matchLabels }}
{{ tpl (toYaml .) $ }}
{{- end }}
{{- end }}

{{- define "reloader.labels" -}}
{{- $chart := printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | quote -}}
chart: {{ $chart }}
heritage: {{ .Release.Service | quote }}
app.kubernetes.io/name: {{ include "reloader-name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/part-of: kubernetes-reloader
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ $chart }}
{{ include "reloader.selector" . }}
{{- end }}

{{/* The labels of all objects and those of `own`. */}}
{{- define "reloader.labelsWith" -}}
{{- $own := tpl (toYaml .own) .root | fromYaml }}
{{- mergeOverwrite (include "reloader.labels" .root | fromYaml) $own | toYaml }}
{{- end }}

{{/*
Metadata of an object: `name`, or the `suffix` of the usual one, `namespace` where it is another one, or `cluster` for none, and
its own `labels` and `annotations`. Names have quotes, as they may be digits alone.
*/}}
{{- define "reloader.metadata" -}}
name: {{ .name | default (printf "%s%s" (include "reloader-fullname" .root) (.suffix | default "")) | quote }}
{{- if not .cluster }}
namespace: {{ .namespace | default (include "reloader.namespace" .root) | quote }}
{{- end }}
labels:
  {{- include "reloader.labelsWith" (dict "root" .root "own" (.labels | default dict)) | nindent 2 }}
{{- with .annotations }}
annotations:
  {{- tpl (toYaml .) $.root | nindent 2 }}
{{- end }}
{{- end }}

{{- define "reloader.image" -}}
{{- $image := .Values.image }}
{{- $tag := include "reloader.text" ($image.tag | default .Chart.AppVersion) }}
{{- if .Values.global.imageRegistry }}
{{- printf "%s/%s:%s" .Values.global.imageRegistry $image.name $tag }}
{{- else if $image.digest }}
{{- printf "%s@%s" $image.repository $image.digest }}
{{- else }}
{{- printf "%s:%s" $image.repository $tag }}
{{- end }}
{{- end }}

{{/* Items are names, or maps with a name. */}}
{{- define "reloader.pullSecrets" -}}
{{- with .Values.global.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ if kindIs "map" . }}{{ quote .name }}{{ else }}{{ quote . }}{{ end }}
  {{- end }}
{{- end }}
{{- end }}

{{/* The securityContext of containers; what values say of it wins. */}}
{{- define "reloader.locked" -}}
{{- $locked := dict "allowPrivilegeEscalation" false "readOnlyRootFilesystem" true "capabilities" (dict "drop" (list "ALL")) }}
{{- $own := .Values.reloader.deployment.containerSecurityContext | default dict }}
{{- $must := empty .Values.reloader.readOnlyRootFileSystem | ternary dict (dict "readOnlyRootFilesystem" true) }}
{{- mergeOverwrite $locked $own $must | toYaml }}
{{- end }}
