#include "dashboard/job_state.h"

#include "base/index_set.h"
#include "base/json_writer.h"
#include "client/object_identity.h"

namespace windlass::dashboard {

void JobState::update(web::JobPageInput input) {
  ++version_;
  const std::string uid = client::uid_of(*input.evidence.job);
  const std::string before = page_ ? page_->cells() : "";
  page_ = std::make_unique<web::JobPage>(std::move(input));
  if (uid != job_uid_ || before.size() != page_->cells().size()) {
    job_uid_ = uid;
    oldest_ = version_;
    attempts_.clear();
    gone_.clear();
    cells_.assign(page_->cells().size(), version_);
  }
  compare_attempts();
  compare_cells(before);
}

void JobState::compare_attempts() {
  for (size_t i = 0; i < page_->attempt_count(); ++i) {
    Attempt& known = attempts_[page_->uid_of(i)];
    const uint64_t digest = page_->digest_of(i);
    if (known.changed == 0 || known.digest != digest) {
      known.digest = digest;
      known.changed = version_;
    }
    known.seen = version_;
  }
  for (auto each = attempts_.begin(); each != attempts_.end();) {
    if (each->second.seen == version_) {
      ++each;
      continue;
    }
    gone_.emplace_back(version_, each->first);
    each = attempts_.erase(each);
  }
  for (; gone_.size() > kMaxGone; gone_.pop_front()) {
    oldest_ = gone_.front().first;
  }
}

void JobState::compare_cells(const std::string& before) {
  const std::string& now = page_->cells();
  for (size_t i = 0; i < now.size() && before.size() == now.size(); ++i) {
    if (now[i] != before[i]) {
      cells_[i] = version_;
    }
  }
}

std::string JobState::members_since(uint64_t version) const {
  if (version < oldest_ || version > version_) {
    return R"("full":true,"page":)" + page_->json();
  }
  std::vector<size_t> attempts;
  for (size_t i = 0; i < page_->attempt_count(); ++i) {
    if (attempts_.at(page_->uid_of(i)).changed > version) {
      attempts.push_back(i);
    }
  }
  std::map<char, IndexSet> cells;
  for (size_t i = 0; i < cells_.size(); ++i) {
    if (cells_[i] > version) {
      cells[page_->cells()[i]].insert(static_cast<int32_t>(i));
    }
  }
  std::string text = R"("full":false,"changes":)";
  JsonWriter json(text);
  json.open_object();
  json.key("gone").open_list();
  for (const auto& [when, uid] : gone_) {
    if (when > version) {
      json.string(uid);
    }
  }
  json.close_list();
  json.key("cells").open_object();
  for (const auto& [letter, indexes] : cells) {
    json.member(std::string_view(&letter, 1), indexes.to_string());
  }
  json.close_object();
  json.close_object();
  return text + R"(,"page":)" + page_->json_with(attempts);
}

}  // namespace windlass::dashboard
