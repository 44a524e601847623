#include "http/nghttp2_handles.h"

#include <nghttp2/nghttp2.h>

#include "base/check.h"

namespace windlass::http {

void FreeNghttp2::operator()(nghttp2_session* session) const {
  nghttp2_session_del(session);
}

void FreeNghttp2::operator()(nghttp2_session_callbacks* callbacks) const {
  nghttp2_session_callbacks_del(callbacks);
}

void FreeNghttp2::operator()(nghttp2_option* option) const {
  nghttp2_option_del(option);
}

void must(int result) {
  CHECK(result == 0, nghttp2_strerror(result));
}

}  // namespace windlass::http
