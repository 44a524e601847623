// What was asked of a server and what it acknowledged, object by object, and what may therefore be
// there after it was killed: the acknowledged state, or that of the one request that was under way.
// An entry belongs to the thread that writes its object; settle() is for when none runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace windlass::crash {

// Every byte that the `number`-th write of an object has put into it.
std::string content_of(const std::string& name, uint64_t number);

struct Found {
  uint64_t revision = 0;
  uint64_t number = 0;
  std::string content = {};
};

class Entry {
 public:
  // `exact`: the object has no other writer, so its revision is that of the last write, too.
  Entry(std::string name, bool exact) : name_(std::move(name)), exact_(exact) {}

  const std::string& name() const { return name_; }
  bool present() const { return present_; }
  uint64_t revision() const { return revision_; }

  // The number of the next write, which is under way from now on.
  uint64_t begin_write();
  void begin_delete();
  // 0 for a deletion, whose answer does not tell its revision.
  void acknowledge(uint64_t revision);
  // An answer that says that nothing was done.
  void refuse() { pending_ = Pending::none; }

  // What is there after a restart; "" or what is wrong with it. From then on that counts.
  std::string settle(const std::optional<Found>& found);

 private:
  enum class Pending { none, write, deletion };

  std::string judge(const std::optional<Found>& found) const;

  std::string name_;
  bool exact_;
  bool present_ = false;
  uint64_t revision_ = 0;  // of the last acknowledged write
  uint64_t number_ = 0;    // of it
  uint64_t last_number_ = 0;
  Pending pending_ = Pending::none;
};

}  // namespace windlass::crash
