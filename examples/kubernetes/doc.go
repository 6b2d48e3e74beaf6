// Package kubernetes has the manifests of a deployment of daemons, and the tests that hold them to the real API types. It
// is a module of its own, so that nobody else depends on Kubernetes.
package kubernetes
