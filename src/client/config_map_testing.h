// For tests only: an object whose content is one text.
#pragma once

#include <memory>
#include <string>

#include "api/object.h"
#include "schema/core/v1/config_map.pb.h"

namespace windlass::client {

inline api::ObjectPtr text_object(const std::string& name, const std::string& uid,
                                  const std::string& version, const std::string& text) {
  auto made = std::make_shared<api::core::v1::ConfigMap>();
  made->mutable_metadata()->set_namespace_("ns");
  made->mutable_metadata()->set_name(name);
  made->mutable_metadata()->set_uid(uid);
  made->mutable_metadata()->set_resource_version(version);
  (*made->mutable_data())["text"] = text;
  return made;
}

inline std::string text_of(const api::Message& message) {
  return static_cast<const api::core::v1::ConfigMap&>(message).data().at("text");
}

}  // namespace windlass::client
