module kubernetes-reloader/test/control-plane/secrets-store-csi

go 1.26.0

// Its manifests alone are read: `go mod tidy` would remove it.
require (
	sigs.k8s.io/secrets-store-csi-driver v1.5.3
)
