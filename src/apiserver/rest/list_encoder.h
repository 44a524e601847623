// A list as text, piece by piece: stored versions are decoded and encoded one at a time, so a list
// of everything never exists as a second copy. In protobuf the stored bytes go out as they are.
// Used by one thread at a time.
#pragma once

#include <memory>
#include <string>

#include "apiserver/rest/responses.h"
#include "apiserver/rest/views.h"
#include "apiserver/server.h"
#include "apiserver/table/table.h"

namespace windlass::apiserver {

class ListEncoder {
 public:
  ListEncoder(ViewOptions view, const api::Kind& kind, CollectionPage page);
  ~ListEncoder();
  ListEncoder(const ListEncoder&) = delete;
  ListEncoder& operator=(const ListEncoder&) = delete;

  // Whether the text can be made in pieces: pretty JSON and YAML need the whole.
  static bool streams(const Format& format);

  // The next piece, of about `bytes`; "" when the list is complete.
  std::string next(size_t bytes);
  // Everything that is left.
  std::string rest();

 private:
  void open();
  void add(const store::Version& version);
  void close();
  void open_protobuf();
  const api::Message& parse(const store::Version& version);

  ViewOptions view_;
  const api::Kind& kind_;
  CollectionPage page_;
  ListHead head_;
  std::string buffer_;
  std::unique_ptr<TableWriter> table_;
  std::unique_ptr<api::Message> scratch_;
  size_t index_ = 0;
  bool opened_ = false;
  bool closed_ = false;
};

// The whole list as one answer, encoded on the transport's thread.
http::Response buffered_list_response(const ViewOptions& view, const api::Kind& kind,
                                      CollectionPage page, const Warnings& warnings = {});

}  // namespace windlass::apiserver
