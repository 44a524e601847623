// A list as indented JSON or as YAML, item by item: what comes out is what the whole list would be
// in that style, but only one item of it is ever held. Compact JSON needs none of this. Used by one
// thread at a time.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/rest/answers/format.h"

namespace windlass::apiserver {

class ListText {
 public:
  // `format` is YAML or pretty JSON.
  explicit ListText(const ResponseFormat& format) : format_(format) {}

  // `head` is the compact list up to its items: `{"kind":"PodList",...,"items":[`.
  void open(std::string_view head, std::string& out);
  // `item` is compact JSON.
  void add(std::string_view item, std::string& out);
  void close(std::string& out);

 private:
  void add_pretty(std::string_view item, std::string& out);
  void add_yaml(std::string_view item, std::string& out);

  const ResponseFormat format_;
  bool empty_ = true;
};

}  // namespace windlass::apiserver
