#include "ledger.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/generator.h"

namespace windlass::crash {

std::string content_of(const std::string& name, uint64_t number) {
  Generator random(number * 1'000'003 + name.size());
  std::string content = fmt::format("{}@{}:", name, number);
  const size_t size = content.size() + random.uniform(random.chance(0.05) ? 40'000 : 2'500);
  while (content.size() < size) {
    content += static_cast<char>('a' + random.uniform(26));
  }
  return content;
}

uint64_t Entry::begin_write() {
  CHECK(pending_ == Pending::none, "one request at a time");
  pending_ = Pending::write;
  return ++last_number_;
}

void Entry::begin_delete() {
  CHECK(pending_ == Pending::none && present_, "one request at a time, about what is there");
  pending_ = Pending::deletion;
}

void Entry::acknowledge(uint64_t revision) {
  present_ = pending_ == Pending::write;
  if (present_) {
    revision_ = revision;
    number_ = last_number_;
  }
  pending_ = Pending::none;
}

std::string Entry::settle(const std::optional<Found>& found) {
  std::string wrong = judge(found);
  pending_ = Pending::none;
  present_ = found.has_value();
  if (found) {
    revision_ = found->revision;
    number_ = found->number;
  }
  return wrong;
}

std::string Entry::judge(const std::optional<Found>& found) const {
  if (!found) {
    const bool may_be_absent = !present_ || pending_ == Pending::deletion;
    return may_be_absent ? ""
                         : fmt::format("{} is lost: write {} of it was acknowledged at revision {}",
                                       name_, number_, revision_);
  }
  if (found->content != content_of(name_, found->number)) {
    return fmt::format("{} is not what write {} put into it", name_, found->number);
  }
  if (pending_ == Pending::write && found->number == last_number_) {
    return found->revision > revision_
               ? ""
               : fmt::format("{} has the revision {} of an older write", name_, found->revision);
  }
  if (!present_) {
    return fmt::format("{} is there, but its deletion was acknowledged", name_);
  }
  if (found->number != number_) {
    return fmt::format("{} is as write {} left it, but write {} was acknowledged", name_,
                       found->number, number_);
  }
  const bool same = exact_ ? found->revision == revision_ : found->revision >= revision_;
  return same ? ""
              : fmt::format("{} is at revision {}, acknowledged was {}", name_, found->revision,
                            revision_);
}

}  // namespace windlass::crash
