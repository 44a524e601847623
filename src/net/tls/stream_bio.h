// Lets OpenSSL read and write through one of our streams instead of a socket. It reads ahead: what
// has come is fetched at once, and handed over record by record; OpenSSL's own reading ahead moves
// all that it has with every record. The stream may be TLS itself: a server behind a proxy that is
// reached over TLS. For this folder's .cc files.
#pragma once

#include <cstddef>

#include "net/stream/byte_stream.h"

struct bio_st;

namespace windlass::net {

inline constexpr size_t kReadAheadBytes = size_t{32} * 1024;  // two records

// The stream outlives it. nullptr when out of memory.
bio_st* make_stream_bio(ByteStream& stream);
// Something was fetched and not handed over yet.
bool has_fetched(bio_st* bio);

}  // namespace windlass::net
