// Everything a client can make the transport hold, or wait for, ends somewhere; here is where.
// Defaults match or beat kube-apiserver's (safety.md 5). Plain data.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"
#include "http/refusal.h"

namespace windlass::net {

struct ServerLimits {
  http::ParserLimits request = {};

  // One more takes the place of one that has not proven who it is, of the address that has most of
  // them, the oldest; or else of the oldest that waits for no answer. Where there is none it is
  // closed.
  size_t connections = 4096;
  uint32_t streams = 250;  // requests at a time of one that speaks HTTP/2, as in kube-apiserver
  // Requests being answered, and of larger answers until their clients have them; more get 429 with
  // Retry-After. kube-apiserver's 400 and 200.
  size_t reads_in_flight = 400;
  size_t writes_in_flight = 200;
  size_t long_running = 3000;  // watches and followed logs

  // Shares, so that no client takes what others need: of the three above, of `connections` and of
  // `buffered_body_bytes`, one user who is no admin has at most one part in so many. All without
  // credentials are one user.
  size_t user_share = 4;
  // One address (of IPv6 a network of /64) has at most one part in so many of the share of those
  // without credentials, and of all connections before they have proven who they are: one more then
  // takes the place of the oldest of the same address.
  size_t address_share = 4;
  // Of the three above and of `buffered_body_bytes`, the last part in so many is kept for nodes and
  // admins, and the last part in so many for admins.
  size_t kept_for_nodes = 4;
  size_t kept_for_admins = 16;

  // Of one streamed answer, written and not taken by its client: a slow watcher is cut off.
  size_t unsent_stream_bytes = size_t{16} * 1024 * 1024;
  // A plain answer of at most this size does not count once it is made: the connections bound
  // those.
  size_t small_answer_bytes = size_t{64} * 1024;
  // Within `send_timeout` a client takes this much of what waits for it, or all of it.
  size_t least_sent_bytes = size_t{64} * 1024;
  // Of the bodies of all requests together, from the first byte until the answer has gone out.
  size_t buffered_body_bytes = size_t{256} * 1024 * 1024;
  // Of their heads, what each has above `plain_head_bytes`. Apart from bodies, and nothing for
  // plain ones, of which the connections allow only so many: whatever others send, a plain request
  // gets in.
  size_t buffered_head_bytes = size_t{64} * 1024 * 1024;
  size_t plain_head_bytes = size_t{8} * 1024;
  // Of HTTP/2, whose heads may be few bytes on the wire. So much is read of one connection before
  // the others have their turn.
  size_t head_bytes_per_turn = size_t{64} * 1024;
  // And so much of one whose requests are refused, or come without good credentials; then it is
  // closed. Each that is answered makes up for a plain head.
  size_t refused_head_bytes = size_t{1} * 1024 * 1024;

  Duration handshake_timeout = seconds(10);
  Duration head_timeout = seconds(32);     // from the first byte, or the connection's start
  Duration body_timeout = seconds(60);     // from the end of the head
  Duration request_timeout = seconds(60);  // until the answer begins; not for long-running ones
  Duration idle_timeout = seconds(90);     // between requests
  Duration send_timeout = seconds(30);     // for a client to take `least_sent_bytes`
  // Of an upgraded connection, while nothing comes and nothing is taken; as a kubelet's.
  Duration stream_idle_timeout = seconds(4 * 60 * 60);
  Duration linger_timeout = seconds(2);  // for a client to read a refusal before the end
  Duration stop_grace = seconds(10);     // for answers under way when the server stops
};

}  // namespace windlass::net
