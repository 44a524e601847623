// What the server adds to pods, or refuses them for, by looking at other objects (api.md P19-P21),
// that a new node takes no pods before it is ready (disruption.md N-5a), and that there
// is one default priority class only (N42). Off unless asked for: a server without service accounts
// and priority classes could create no pod, and without the node life cycle no node would become
// ready.
#pragma once

#include "base/time.h"

namespace windlass::apiserver {

struct Admission {
  bool service_accounts = false;     // P19
  bool priorities = false;           // P20, N42
  bool default_tolerations = false;  // P21
  bool unready_nodes = false;        // N-5a
  bool runtime_classes = false;      // that pods name: there are none
  Duration toleration = minutes(5);  // of P21; whole seconds count

  static Admission all() { return {true, true, true, true, true, minutes(5)}; }
};

}  // namespace windlass::apiserver
