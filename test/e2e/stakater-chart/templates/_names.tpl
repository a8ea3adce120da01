{{- define "fullname" -}}
{{- .Values.fullnameOverride | default (printf "%s-%s" .Release.Name (.Values.nameOverride | default "reloader")) | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "account" -}}
{{- .Values.reloader.serviceAccount.name | default (include "fullname" .) -}}
{{- end -}}

{{- define "selector" -}}
app: {{ include "fullname" . }}
release: {{ .Release.Name | quote }}
{{- with .Values.reloader.matchLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "labels" -}}
{{ include "selector" . }}
chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
heritage: {{ .Release.Service | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
app.kubernetes.io/name: {{ .Values.nameOverride | default .Chart.Name | lower }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end -}}

{{- define "metadata" -}}
annotations:
  meta.helm.sh/release-name: {{ .Release.Name | quote }}
  meta.helm.sh/release-namespace: {{ .Release.Namespace | quote }}
labels:
  {{- include "labels" . | nindent 2 }}
{{- end -}}

{{- /* The namespaces that are watched, its own among them; none where all are. */ -}}
{{- define "namespaces" -}}
{{- if and (not .Values.reloader.watchGlobally) .Values.reloader.namespaces -}}
{{- append .Values.reloader.namespaces .Release.Namespace | uniq | sortAlpha | join "," -}}
{{- end -}}
{{- end -}}
