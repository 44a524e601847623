// matchLabelKeys and mismatchLabelKeys of a new pod become conditions of the selectors beside them:
// `key In [value]` or `key NotIn [value]`, with the value that the pod itself has. Pure.
#pragma once

namespace windlass::api::core::v1 {
class Pod;
}

namespace windlass::api {

void merge_label_keys(core::v1::Pod& pod);

}  // namespace windlass::api
