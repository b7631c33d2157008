{{/* Name of the objects. */}}
{{- define "mirzam.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 53 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 53 | trimSuffix "-" }}{{ end }}
{{- end }}

{{/* Labels by which the pods are found. */}}
{{- define "mirzam.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "mirzam.labels" -}}
{{ include "mirzam.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "mirzam.secret" -}}
{{ .Values.existingSecret | default (include "mirzam.name" .) }}
{{- end }}

{{- define "mirzam.port" -}}
{{ include "mirzam.text" (.Values.settings.PORT | default 8080) }}
{{- end }}

{{/* Text of a setting. Helm reads whole numbers as floating-point ones, which it would write as 2e+06. */}}
{{- define "mirzam.text" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) }}{{ int64 . }}{{ else }}{{ . }}{{ end }}
{{- end }}

{{/* Combinations of values that could not work. */}}
{{- define "mirzam.checks" -}}
{{- if not .Values.existingSecret }}
{{- if not .Values.secrets.OPERATOR_TOKEN }}
{{- fail "secrets.OPERATOR_TOKEN is missing: make one with `openssl rand -hex 32`, or name a Secret with this key in existingSecret" }}
{{- end }}
{{- if and (eq .Values.store "mongodb") (not .Values.secrets.MONGODB_URL) }}
{{- fail "secrets.MONGODB_URL is missing: store=mongodb needs the database, here or as a key of the Secret that existingSecret names" }}
{{- end }}
{{- else if .Values.secrets }}
{{- fail "secrets and existingSecret exclude each other: move the settings in secrets to the Secret that existingSecret names" }}
{{- end }}
{{- if and (eq .Values.store "embedded") .Values.secrets.MONGODB_URL }}
{{- fail "secrets.MONGODB_URL is set, and store is embedded: set store=mongodb" }}
{{- end }}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) }}
{{- fail "ingress.host is missing: the name at which users reach the service" }}
{{- end }}
{{- if and .Values.prometheusRule.enabled (not .Values.prometheusRule.file) }}
{{- fail "prometheusRule.file is missing: --set-file prometheusRule.file=deploy/prometheus/alerts.yaml" }}
{{- end }}
{{- end }}

{{/* The pod, of either store. */}}
{{- define "mirzam.pod" -}}
metadata:
  labels:
    {{- include "mirzam.labels" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    # Other settings, other pods.
    checksum/settings: {{ include (print .Template.BasePath "/settings.yaml") . | sha256sum }}
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  automountServiceAccountToken: false
  # Variables of the services of the namespace, such as MIRZAM_PORT, are not settings.
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: mirzam
      image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      envFrom:
        - configMapRef:
            name: {{ include "mirzam.name" . }}
        - secretRef:
            name: {{ include "mirzam.secret" . }}
      {{- with .Values.extraEnv }}
      env:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      ports:
        - name: http
          containerPort: {{ include "mirzam.port" . }}
      startupProbe:
        httpGet: { path: /health/live, port: http }
        {{- toYaml .Values.probes.startup | nindent 8 }}
      livenessProbe:
        httpGet: { path: /health/live, port: http }
        {{- toYaml .Values.probes.liveness | nindent 8 }}
      readinessProbe:
        httpGet: { path: /health/ready, port: http }
        {{- toYaml .Values.probes.readiness | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - name: data
          mountPath: /data
        - name: tmp
          mountPath: /tmp
        {{- with .Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: {}
    {{- if eq .Values.store "mongodb" }}
    - name: data
      emptyDir: {}
    {{- end }}
    {{- with .Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    {{- with .Values.topologySpreadConstraints }}
    {{- toYaml . | nindent 4 }}
    {{- else }}
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "mirzam.selector" . | nindent 10 }}
    {{- end }}
{{- end }}
