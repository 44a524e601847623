#include "cli/output/background_output.h"

namespace windlass::cli {
namespace {

// Lines are written together up to this size.
constexpr size_t kMaxPieceBytes = 64 * 1024;

}  // namespace

BackgroundOutput::BackgroundOutput(Output& target, env::Clock& clock, size_t max_waiting)
    : target_(target), max_waiting_(max_waiting), worker_(clock, "output") {}

void BackgroundOutput::add(Stream stream, std::string_view text) {
  bool is_first = false;
  {
    std::unique_lock lock(mutex_);
    written_.wait(lock, [this] { return waiting_bytes_ < max_waiting_; });
    is_first = waiting_.empty();
    if (is_first || waiting_.back().stream != stream ||
        waiting_.back().text.size() >= kMaxPieceBytes) {
      waiting_.push_back({stream, std::string(text)});
    } else {
      waiting_.back().text += text;
    }
    waiting_bytes_ += text.size();
  }
  if (is_first) {
    worker_.post([this] { write_waiting(); });
  }
}

void BackgroundOutput::write_waiting() {
  std::vector<Piece> pieces;
  {
    const std::lock_guard lock(mutex_);
    pieces.swap(waiting_);
  }
  for (const Piece& piece : pieces) {
    piece.stream == Stream::out ? target_.out(piece.text) : target_.err(piece.text);
    const std::lock_guard lock(mutex_);
    waiting_bytes_ -= piece.text.size();
    written_.notify_all();
  }
}

}  // namespace windlass::cli
