// A list as text, piece by piece, in every encoding and form: stored versions are decoded and
// encoded one at a time, so a list of everything never exists as a second copy. In protobuf the
// stored bytes go out as they are. Used by one thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "apiserver/rest/answers/format.h"
#include "apiserver/rest/answers/responses.h"
#include "apiserver/rest/answers/views.h"
#include "apiserver/server.h"
#include "apiserver/table/table.h"

namespace windlass::apiserver {

// A list as indented JSON or as YAML, item by item: what comes out is what the whole list would be
// in that style, but only one item of it is ever held. Compact JSON needs none of this. Used by one
// thread at a time.
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

class ListEncoder {
 public:
  ListEncoder(ViewOptions view, const api::Kind& kind, CollectionPage page);
  ~ListEncoder();
  ListEncoder(const ListEncoder&) = delete;
  ListEncoder& operator=(const ListEncoder&) = delete;

  // Looks at up to `items` more of the items whose sizes the first bytes of the list must tell;
  // true when all are known. Mostly they are at once.
  bool measure(size_t items);
  // The next piece, of about `bytes`; "" when the list is complete. measure() has said true.
  std::string next(size_t bytes);

 private:
  void open();
  void add(const store::Version& version);
  void add_json(const store::Version& version);
  void close();
  void open_json(std::string& out);
  std::string partial_item(const store::Version& version);
  const api::Message& parse(const store::Version& version);

  ViewOptions view_;
  const api::Kind& kind_;
  CollectionPage page_;
  ListHead head_;
  std::string buffer_;
  std::optional<ListText> styled_;  // of pretty JSON and YAML
  std::string compact_;             // what styled_ works on
  std::unique_ptr<TableWriter> table_;
  std::unique_ptr<api::Message> scratch_;
  size_t measured_ = 0;
  size_t items_bytes_ = 0;  // in protobuf, of those that are measured
  size_t index_ = 0;
  bool opened_ = false;
  bool closed_ = false;
};

}  // namespace windlass::apiserver
