#include "net/tls/stream_bio.h"

#include <openssl/bio.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

namespace windlass::net {
namespace {

// What OpenSSL wants to hear of a transfer that has not moved a byte.
int report(BIO* bio, Io result) {
  switch (result) {
    case Io::want_read:
      BIO_set_retry_read(bio);
      return -1;
    case Io::want_write:
      BIO_set_retry_write(bio);
      return -1;
    case Io::closed:
      return 0;
    default:
      return -1;
  }
}

struct BioState {
  ByteStream& stream;
  std::array<char, kReadAheadBytes> fetched = {};
  size_t begin = 0;
  size_t end = 0;
};

BioState& state_of(BIO* bio) {
  return *static_cast<BioState*>(BIO_get_data(bio));
}

int read_bytes(BIO* bio, char* out, int size) {
  BIO_clear_retry_flags(bio);
  BioState& state = state_of(bio);
  if (state.begin == state.end) {
    const Transfer got = state.stream.read(state.fetched);
    if (got.result != Io::done) {
      return report(bio, got.result);
    }
    state.begin = 0;
    state.end = got.bytes;
  }
  const size_t taken = std::min(static_cast<size_t>(size), state.end - state.begin);
  std::memcpy(out, state.fetched.data() + state.begin, taken);
  state.begin += taken;
  return static_cast<int>(taken);
}

int write_bytes(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const std::string_view part(bytes, static_cast<size_t>(size));
  const Transfer sent = state_of(bio).stream.write({&part, 1});
  return sent.result == Io::done ? static_cast<int>(sent.bytes) : report(bio, sent.result);
}

int release(BIO* bio) {
  delete static_cast<BioState*>(BIO_get_data(bio));
  BIO_set_data(bio, nullptr);
  return 1;
}

long control(BIO* /*bio*/, int command, long /*number*/, void* /*pointer*/) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

struct FreeMethod {
  void operator()(BIO_METHOD* method) const { BIO_meth_free(method); }
};

const BIO_METHOD* stream_method() {
  static const std::unique_ptr<BIO_METHOD, FreeMethod> method = [] {
    std::unique_ptr<BIO_METHOD, FreeMethod> made(
        BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "stream"));
    if (made != nullptr) {
      BIO_meth_set_read(made.get(), read_bytes);
      BIO_meth_set_write(made.get(), write_bytes);
      BIO_meth_set_ctrl(made.get(), control);
      BIO_meth_set_destroy(made.get(), release);
    }
    return made;
  }();
  return method.get();
}

}  // namespace

bio_st* make_stream_bio(ByteStream& stream) {
  BIO* bio = stream_method() == nullptr ? nullptr : BIO_new(stream_method());
  if (bio != nullptr) {
    BIO_set_data(bio, new BioState{stream});
    BIO_set_init(bio, 1);
  }
  return bio;
}

bool has_fetched(bio_st* bio) {
  const BioState& state = state_of(bio);
  return state.begin < state.end;
}

}  // namespace windlass::net
