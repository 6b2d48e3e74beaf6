package kubernetes

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

// decoder reads manifests as the API server does that is told to be strict: an unknown or repeated field is an error.
func decoder(t *testing.T) runtime.Decoder {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, appsv1.AddToScheme, autoscalingv2.AddToScheme, networkingv1.AddToScheme, policyv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
}

// manifests reads every document of every file.
func manifests(t *testing.T) []runtime.Object {
	t.Helper()
	files, err := filepath.Glob("*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no manifests: %v", err)
	}
	decode := decoder(t)
	var objects []runtime.Object
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		documents := yaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(text)))
		for {
			document := make([]byte, 1<<20)
			n, err := documents.Read(document)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			object, _, err := decode.Decode(document[:n], nil, nil)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			objects = append(objects, object)
		}
	}
	return objects
}

// the gives the one object of a type.
func the[T runtime.Object](t *testing.T) T {
	t.Helper()
	var found []T
	for _, object := range manifests(t) {
		if o, ok := object.(T); ok {
			found = append(found, o)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d of %T", len(found), *new(T))
	}
	return found[0]
}

func TestEachManifestIsItsTypes(t *testing.T) {
	for _, object := range manifests(t) {
		meta, ok := object.(metav1.Object)
		if !ok {
			t.Fatalf("%T has no metadata", object)
		}
		want := "codemode"
		switch object.(type) {
		case *corev1.Namespace:
			want = ""
		case *corev1.ConfigMap:
			want = "monitoring"
		}
		if meta.GetNamespace() != want {
			t.Errorf("%T %s is in namespace %q", object, meta.GetName(), meta.GetNamespace())
		}
	}
}

// TestWhatIsMisspeltIsRefused: or the test above would say nothing.
func TestWhatIsMisspeltIsRefused(t *testing.T) {
	text, err := os.ReadFile("service.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for old, new := range map[string]string{"targetPort": "targetport", "port: 8080": "port: eighty", "kind: Service": "kind: Servic", "clusterIP: None": "clusterIP: None\n  clusterIP: None"} {
		if !strings.Contains(string(text), old) {
			t.Fatalf("service.yaml has no %q", old)
		}
		if _, _, err := decoder(t).Decode([]byte(strings.Replace(string(text), old, new, 1)), nil, nil); err == nil {
			t.Errorf("%q passes", new)
		}
	}
}

// TestThePodsMayRun: the namespace admits no pod but a restricted one, and Kubernetes' own checks find ours to be one.
func TestThePodsMayRun(t *testing.T) {
	enforced, invalid := api.PolicyToEvaluate(the[*corev1.Namespace](t).Labels, api.Policy{})
	if len(invalid) > 0 || enforced.Enforce.Level != api.LevelRestricted || enforced.Audit.Level != api.LevelRestricted || enforced.Warn.Level != api.LevelRestricted {
		t.Fatalf("the namespace enforces %+v: %v", enforced, invalid)
	}
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	template := the[*appsv1.Deployment](t).Spec.Template
	judge := func(spec *corev1.PodSpec) policy.AggregateCheckResult {
		return policy.AggregateCheckResults(evaluator.EvaluatePod(enforced.Enforce, &template.ObjectMeta, spec))
	}
	if result := judge(&template.Spec); !result.Allowed {
		t.Errorf("forbidden: %s: %s", result.ForbiddenReason(), result.ForbiddenDetail())
	}
	lax := template.Spec.DeepCopy()
	lax.Containers[0].SecurityContext.Capabilities = nil
	if judge(lax).Allowed {
		t.Error("pods that keep their capabilities are admitted")
	}
}

// TestEachNameIsSomebodys: what one manifest calls by name or label, another has.
func TestEachNameIsSomebodys(t *testing.T) {
	deployment := the[*appsv1.Deployment](t)
	pod := deployment.Spec.Template
	for what, selector := range map[string]*metav1.LabelSelector{
		"deployment": deployment.Spec.Selector, "budget": the[*policyv1.PodDisruptionBudget](t).Spec.Selector, "network policy": &the[*networkingv1.NetworkPolicy](t).Spec.PodSelector,
		"spread": pod.Spec.TopologySpreadConstraints[0].LabelSelector, "service": {MatchLabels: the[*corev1.Service](t).Spec.Selector},
	} {
		if s, err := metav1.LabelSelectorAsSelector(selector); err != nil || s.Empty() || !s.Matches(labels.Set(pod.Labels)) {
			t.Errorf("the %s does not select the pods: %v", what, err)
		}
	}
	container := pod.Spec.Containers[0]
	named := func(port string) bool {
		return slices.ContainsFunc(container.Ports, func(p corev1.ContainerPort) bool { return p.Name == port })
	}
	ports := []string{the[*corev1.Service](t).Spec.Ports[0].TargetPort.StrVal, the[*networkingv1.NetworkPolicy](t).Spec.Ingress[0].Ports[0].Port.StrVal}
	for _, probe := range []*corev1.Probe{container.StartupProbe, container.LivenessProbe, container.ReadinessProbe} {
		ports = append(ports, probe.HTTPGet.Port.StrVal)
	}
	for _, port := range ports {
		if !named(port) {
			t.Errorf("the container has no port %q", port)
		}
	}
	if got := the[*corev1.ServiceAccount](t).Name; got != pod.Spec.ServiceAccountName {
		t.Errorf("the pods' account is %q, and there is %q", pod.Spec.ServiceAccountName, got)
	}
	if got := the[*corev1.Secret](t).Name; got != pod.Spec.Volumes[0].Secret.SecretName {
		t.Errorf("the tokens' secret is %q, and there is %q", pod.Spec.Volumes[0].Secret.SecretName, got)
	}
	target := the[*autoscalingv2.HorizontalPodAutoscaler](t).Spec.ScaleTargetRef
	if target.Kind != "Deployment" || target.Name != deployment.Name || target.APIVersion != "apps/v1" {
		t.Errorf("the autoscaler scales %+v", target)
	}
}

// TestADrainHasTheTimeItTakes: Kubernetes kills what has not ended within the grace period.
func TestADrainHasTheTimeItTakes(t *testing.T) {
	pod := the[*appsv1.Deployment](t).Spec.Template.Spec
	for _, arg := range pod.Containers[0].Args {
		text, ok := strings.CutPrefix(arg, "--drain-timeout=")
		if !ok {
			continue
		}
		drain, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		if grace := time.Duration(*pod.TerminationGracePeriodSeconds) * time.Second; grace < drain+10*time.Second {
			t.Errorf("a drain of %s within a grace period of %s", drain, grace)
		}
		return
	}
	t.Error("the daemon is not told how long its drain may take")
}

// TestTheAutoscalersFiguresAreTheAdapters: under the names that its rules give them.
func TestTheAutoscalersFiguresAreTheAdapters(t *testing.T) {
	rules := the[*corev1.ConfigMap](t).Data["config.yaml"]
	for _, metric := range the[*autoscalingv2.HorizontalPodAutoscaler](t).Spec.Metrics {
		if name := metric.Pods.Metric.Name; !strings.Contains(rules, "as: "+name+"\n") {
			t.Errorf("no rule makes %s", name)
		}
	}
}
