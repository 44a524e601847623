#!/bin/bash
# deploy/kubernetes and deploy/kubernetes-namespaced as kustomize renders them: pods that the Pod Security Standard
# "restricted" admits, and a network policy and a service that fit them.
#
#   tests/install/deploy.sh
set -u
exec </dev/null
here=$(realpath "$(dirname "$0")")
# shellcheck source=/dev/null
source "$here/../skips.sh"
/usr/bin/python3 -c 'import yaml' 2>/dev/null || skip_suite windlass_deploy_test "no yaml module for /usr/bin/python3"
kubectl=$(command -v kubectl) || skip_suite windlass_deploy_test "no kubectl on PATH"
# shellcheck source=/dev/null
source "$here/../checks.sh"

cat >"$work/look.py" <<'PYTHON'
import sys, yaml
objects = list(yaml.safe_load_all(sys.stdin))
def one(kind):
    found = [o for o in objects if o["kind"] == kind]
    assert len(found) == 1, f"{len(found)} of {kind}"
    return found[0]
deployment, policy, service, budget = map(one, ("Deployment", "NetworkPolicy", "Service", "PodDisruptionBudget"))
namespaces = {o["metadata"].get("namespace") for o in (deployment, policy, service, budget)}
assert len(namespaces) == 1, namespaces
template = deployment["spec"]["template"]
labels = template["metadata"]["labels"]
for selector in (deployment["spec"]["selector"]["matchLabels"], policy["spec"]["podSelector"]["matchLabels"],
                 service["spec"]["selector"], budget["spec"]["selector"]["matchLabels"]):
    assert selector.items() <= labels.items(), selector
pod = template["spec"]
assert pod["securityContext"]["runAsNonRoot"] and pod["securityContext"]["seccompProfile"]["type"] == "RuntimeDefault"
assert not {"hostNetwork", "hostPID", "hostIPC"} & pod.keys()
assert all("hostPath" not in volume for volume in pod.get("volumes", []))
for container in pod["containers"] + pod.get("initContainers", []):
    security = container["securityContext"]
    assert security["allowPrivilegeEscalation"] is False and security["capabilities"]["drop"] == ["ALL"]
    assert "privileged" not in security and "add" not in security["capabilities"]
ports = {port["containerPort"] for container in pod["containers"] for port in container["ports"]}
assert {p["port"] for rule in policy["spec"]["ingress"] for p in rule["ports"]} == ports, ports
assert {port["port"] for port in service["spec"]["ports"]} == ports
for namespace in (o for o in objects if o["kind"] == "Namespace"):
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
print("good", *sorted(namespaces))
PYTHON
look() { "$kubectl" kustomize "$here/../../deploy/$1" 2>&1 | /usr/bin/python3 "$work/look.py" 2>&1; }
check 'for the cluster' '^good windlass-system$' look kubernetes
check 'for one namespace' '^good default$' look kubernetes-namespaced
finish_suite
