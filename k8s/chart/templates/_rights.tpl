{{/* The rules of RBAC, from the flags: what the program asks for with these arguments, and nothing else. */}}

{{/* The kinds of content that are watched, as a JSON list of resources. */}}
{{- define "reloader.content" -}}
{{- $ignored := get (include "reloader.flags" . | fromJson) "ignored-config-resource-types" | default list }}
{{- without (list "configmaps" "secrets") (first $ignored | default "") | toJson }}
{{- end }}

{{/* The kinds of workload that are served, as a JSON list of resources. */}}
{{- define "reloader.workloads" -}}
{{- $flags := include "reloader.flags" . | fromJson }}
{{- $ignored := list }}
{{- range get $flags "ignored-workload-types" | default list }}{{ $ignored = append $ignored (printf "%ss" (lower . | trimSuffix "s")) }}{{ end }}
{{- if not (get $flags "cronjob-reload") }}{{ $ignored = append $ignored "cronjobs" }}{{ end }}
{{- if not (get $flags "job-reload") }}{{ $ignored = append $ignored "jobs" }}{{ end }}
{{- if ne (get $flags "is-Argo-Rollouts") "true" }}{{ $ignored = append $ignored "rollouts" }}{{ end }}
{{- if ne (get $flags "is-openshift") "true" }}{{ $ignored = append $ignored "deploymentconfigs" }}{{ end }}
{{- $served := list }}
{{- range list "deployments" "statefulsets" "daemonsets" "cronjobs" "jobs" "rollouts" "deploymentconfigs" }}
{{- if not (has . $ignored) }}{{ $served = append $served . }}{{ end }}
{{- end }}
{{- toJson $served }}
{{- end }}

{{/* The kinds that config.workloadKinds names, as a JSON list of group/plural. */}}
{{- define "reloader.furtherKinds" -}}
{{- $kinds := list }}
{{- range get (include "reloader.flags" . | fromJson) "workload-kinds" | default list }}
{{- $parts := splitList ":" . | first | splitList "/" }}
{{- if eq (len $parts) 3 }}{{ $kinds = append $kinds (printf "%s/%s" (first $parts) (last $parts)) }}{{ end }}
{{- end }}
{{- toJson $kinds }}
{{- end }}

{{/* "true" where pods are evicted, for all workloads or for those that ask for it. */}}
{{- define "reloader.evicts" -}}
{{- if or .Values.evictions.enabled (eq .Values.reloader.reloadStrategy "evict") }}true{{ end }}
{{- end }}

{{/* In each namespace that is watched. */}}
{{- define "reloader.rules.watched" -}}
{{- $flags := include "reloader.flags" . | fromJson }}
{{- $dryRun := get $flags "dry-run" }}
{{- $rolls := not (or $dryRun .Values.reloader.webhookUrl) }}
{{- $served := include "reloader.workloads" . | fromJsonArray }}
{{- $further := include "reloader.furtherKinds" . | fromJsonArray }}
{{- $apps := without $served "cronjobs" "jobs" "rollouts" "deploymentconfigs" -}}
# Content is read to take its digest, and dropped.
- apiGroups: [""]
  resources: {{ include "reloader.content" . }}
  verbs: [list, watch]
{{- if eq (get $flags "enable-csi-integration") "true" }}
- apiGroups: [secrets-store.csi.x-k8s.io]
  resources: [secretproviderclasses, secretproviderclasspodstatuses]
  verbs: [list, watch]
{{- end }}
{{- with $apps }}
- apiGroups: [apps]
  resources: {{ toJson . }}
  verbs: [get, list, watch{{ if $rolls }}, patch{{ end }}]
{{- end }}
{{- if has "cronjobs" $served }}
- apiGroups: [batch]
  resources: [cronjobs]
  verbs: [get, list, watch{{ if $rolls }}, patch{{ end }}]
{{- end }}
{{- if has "jobs" $served }}
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get, list, watch{{ if $rolls }}, create, delete{{ end }}]
{{- else if and (has "cronjobs" $served) $rolls }}
- apiGroups: [batch]
  resources: [jobs]
  verbs: [create]
{{- end }}
{{- if has "rollouts" $served }}
- apiGroups: [argoproj.io]
  resources: [rollouts]
  verbs: [get, list, watch{{ if $rolls }}, patch{{ end }}]
{{- end }}
{{- if has "deploymentconfigs" $served }}
- apiGroups: [apps.openshift.io]
  resources: [deploymentconfigs]
  verbs: [get, list, watch{{ if $rolls }}, patch{{ end }}]
{{- end }}
{{- range $further }}
{{- $parts := splitList "/" . }}
- apiGroups: [{{ first $parts | quote }}]
  resources: [{{ last $parts }}]
  verbs: [get, list, watch{{ if $rolls }}, patch{{ end }}]
{{- end }}
{{- if and $rolls (include "reloader.evicts" .) }}
- apiGroups: [""]
  resources: [pods]
  verbs: [list]
- apiGroups: [apps]
  resources: [replicasets]
  verbs: [list]
- apiGroups: [""]
  resources: [pods/eviction]
  verbs: [create]
{{- end }}
{{- if not $dryRun }}
- apiGroups: [""]
  resources: [events]
  verbs: [create]
{{- end }}
{{- end }}

{{/* In the cluster, beside them. */}}
{{- define "reloader.rules.cluster" -}}
{{- $flags := include "reloader.flags" . | fromJson }}
{{- if or (get $flags "namespace-selector") (get $flags "namespace-annotations") }}
- apiGroups: [""]
  resources: [namespaces]
  verbs: [list, watch]
{{- end }}
{{- if get $flags "secure-metrics" }}
- apiGroups: [authentication.k8s.io]
  resources: [tokenreviews]
  verbs: [create]
- apiGroups: [authorization.k8s.io]
  resources: [subjectaccessreviews]
  verbs: [create]
{{- end }}
{{- end }}

{{/* In the namespace of the state. */}}
{{- define "reloader.rules.state" -}}
{{- $flags := include "reloader.flags" . | fromJson }}
{{- $name := get $flags "configmap" -}}
- apiGroups: [""]
  resources: [configmaps]
  resourceNames:
    - {{ quote $name }}
    {{- range untilStep 1 10 1 }}
    - {{ $name }}-{{ . }}
    {{- end }}
  verbs: [get{{ if not (get $flags "dry-run") }}, create, patch{{ end }}]
- apiGroups: [""]
  resources: [secrets]
  resourceNames: ["{{ $name }}-key"]
  verbs: [get{{ if not (get $flags "dry-run") }}, create, patch{{ end }}]
{{- end }}

{{/* In the namespace of the Lease. To create one cannot be limited to a name. */}}
{{- define "reloader.rules.lease" -}}
{{- $flags := include "reloader.flags" . | fromJson -}}
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [{{ get $flags "leader-election-id" | default (get $flags "configmap") | quote }}]
  verbs: [get, update]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
{{- end }}

{{/* A role and its binding: `kind` Role or ClusterRole, `suffix`, `namespace`, `rules` as text. */}}
{{- define "reloader.role" -}}
{{- $root := .root }}
{{- $metadata := dict "root" $root "namespace" .namespace "cluster" (eq .kind "ClusterRole") "labels" $root.Values.reloader.rbac.labels }}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ .kind }}
metadata:
  {{- include "reloader.metadata" (merge (dict "suffix" .suffix) $metadata) | nindent 2 }}
rules:
  {{- .rules | trim | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ .kind }}Binding
metadata:
  {{- include "reloader.metadata" (merge (dict "suffix" (printf "%s-binding" .suffix)) $metadata) | nindent 2 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ .kind }}
  name: {{ include "reloader-fullname" $root }}{{ .suffix }}
subjects:
  - kind: ServiceAccount
    name: {{ include "reloader-serviceAccountName" $root | quote }}
    namespace: {{ include "reloader.namespace" $root | quote }}
{{- end }}
