// Lets OpenSSL read and write through one of our streams instead of a socket: TLS inside of TLS,
// to a server behind a proxy that is itself reached over TLS. For this folder's .cc files.
#pragma once

#include "net/stream.h"

struct bio_st;

namespace windlass::net {

// The stream outlives it. nullptr when out of memory.
bio_st* make_stream_bio(Stream& stream);

}  // namespace windlass::net
