{{- define "clew.labels" -}}
app.kubernetes.io/name: clew
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "clew.selector" -}}
app.kubernetes.io/name: clew
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end -}}

{{- define "clew.name" -}}
{{ printf "%s-clew" .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end -}}

{{- define "clew.secret" -}}
{{ .Values.existingSecret | default (include "clew.name" .) }}
{{- end -}}

{{- /* pod is what the processes for pages and the workers have in common. */ -}}
{{- define "clew.pod" -}}
{{- $root := .root -}}
metadata:
  labels:
    {{- include "clew.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .part }}
  annotations:
    checksum/secret: {{ toYaml $root.Values.secrets | sha256sum }}
    prometheus.io/scrape: "true"
    prometheus.io/port: "9464"
    {{- with $root.Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: {{ $root.Values.drainSeconds }}
  {{- with $root.Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 65532
    runAsGroup: 65532
    fsGroup: 65532
    seccompProfile: {type: RuntimeDefault}
  {{- with $root.Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $root.Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $root.Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  volumes:
    - {name: data, emptyDir: {}}
    - {name: tmp, emptyDir: {}}
  containers:
    - name: clew
      image: "{{ $root.Values.image.repository }}:{{ $root.Values.image.tag | default $root.Chart.AppVersion }}"
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      args: {{ toJson .args }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: {drop: [ALL]}
      env:
        - {name: DATA_DIR, value: /data}
        - {name: LISTEN, value: "0.0.0.0:8080"}
        - {name: DATABASE_URL, value: {{ required "Set databaseURL, such as postgres://clew@postgres/clew." $root.Values.databaseURL | quote }}}
        - {name: NEO4J_URL, value: {{ required "Set neo4jURL, such as neo4j://neo4j:7687." $root.Values.neo4jURL | quote }}}
        - {name: QDRANT_URL, value: {{ required "Set qdrantURL, such as http://qdrant:6334." $root.Values.qdrantURL | quote }}}
        - {name: METRICS, value: listener}
        - {name: METRICS_ADDR, value: "0.0.0.0:9464"}
        - {name: TRUSTED_PROXIES, value: {{ $root.Values.trustedProxies | quote }}}
        {{- if ne $root.Values.ingress.path "/" }}
        - {name: BASE_PATH, value: {{ $root.Values.ingress.path | quote }}}
        {{- end }}
        {{- if $root.Values.ingress.host }}
        - {name: PUBLIC_URL, value: {{ printf "%s://%s" (ternary "https" "http" (ne $root.Values.ingress.tlsSecret "")) $root.Values.ingress.host | quote }}}
        {{- end }}
        {{- range $name, $value := $root.Values.settings }}
        - {name: {{ $name }}, value: {{ $value | quote }}}
        {{- end }}
      envFrom:
        - secretRef: {name: {{ include "clew.secret" $root }}}
      volumeMounts:
        - {name: data, mountPath: /data}
        - {name: tmp, mountPath: /tmp}
      resources:
        {{- toYaml .resources | nindent 8 }}
      startupProbe:
        httpGet: {path: /livez, port: metrics}
        periodSeconds: 2
        failureThreshold: 150 # the first one migrates the stores, and the others wait for it
      livenessProbe:
        httpGet: {path: /livez, port: metrics}
        periodSeconds: 10
        timeoutSeconds: 5
      ports:
        - {name: metrics, containerPort: 9464}
{{- end -}}
