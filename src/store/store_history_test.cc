// Random histories of writers, readers and watchers, with a journal that answers late, checked
// against a plain model (safety.md S2-S5).
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "store/store.h"
#include "verify/journals/manual_journal.h"

namespace windlass::store {
namespace {

using State = std::map<std::string, std::pair<Revision, std::string>>;

// What a client holds that listed once and watched from there on.
struct Follower {
  State state;
  Revision seen = 0;
  std::string ns;
  std::unique_ptr<Watcher> watcher;
  int relists = 0;
};

class History {
 public:
  explicit History(size_t history_events) : store_(&journal_, {.history_events = history_events}) {
    snapshots_[store_.revision()] = {};
  }

  void write() {
    const std::string ns = pick_namespace();
    const std::string name(1, static_cast<char>('a' + *rc::gen::inRange(0, 4)));
    const ObjectKey key{"pods", ns, name};
    const VersionPtr head = store_.head(key);
    const Revision actual = head ? head->revision() : 0;
    // Sometimes a stale or made-up expectation: it must lose.
    const Revision expected = *rc::gen::weightedOneOf<Revision>(
        {{5, rc::gen::just(actual)}, {1, rc::gen::inRange<Revision>(0, actual + 2)}});
    const bool deletion = expected != 0 && *rc::gen::inRange(0, 3) == 0;
    const Revision next = store_.next_revision();
    const std::string bytes = "v" + std::to_string(next);
    const auto taken = deletion ? store_.remove(key, expected, bytes, nullptr)
                                : store_.put(key, expected, bytes, nullptr);
    RC_ASSERT(taken.has_value() == (expected == actual));
    if (!taken) {
      RC_ASSERT(store_.next_revision() == next);
      return;
    }
    RC_ASSERT((*taken)->revision() == next);
    State after = snapshots_.rbegin()->second;
    if (deletion) {
      after.erase(ns + "/" + name);
    } else {
      after[ns + "/" + name] = {next, bytes};
    }
    snapshots_[next] = std::move(after);
  }

  void commit() {
    const Revision up_to =
        *rc::gen::inRange<Revision>(store_.revision(), store_.head_revision() + 1);
    journal_.commit_up_to(up_to);
    RC_ASSERT(store_.revision() == std::prev(snapshots_.upper_bound(up_to))->first);
  }

  // As if it had never been: what follows is based on what is committed.
  void refuse() {
    const Revision head = store_.head_revision();
    std::string answer;
    store_.when_committed(head, [&](const Result<void>& done) { answer = done ? "ok" : "no"; });
    journal_.refuse(plain_error("no room"));
    RC_ASSERT(answer == (head == store_.revision() ? "ok" : "no"));
    RC_ASSERT(store_.head_revision() == store_.revision());
    RC_ASSERT(store_.next_revision() > head);
    snapshots_.erase(snapshots_.upper_bound(store_.revision()), snapshots_.end());
  }

  void read() {
    const std::string ns = *rc::gen::element<std::string>("", "x", "y");
    const Revision at = *rc::gen::inRange<Revision>(1, store_.head_revision() + 1);
    const auto page = store_.list({.resource = "pods", .ns = ns, .revision = at});
    const bool readable = at <= store_.revision() && at >= store_.compacted("pods");
    RC_ASSERT(page.has_value() == readable);
    if (page) {
      RC_ASSERT(as_state(*page) == model(ns, at));
    }
  }

  // A list in pages while the world moves on.
  void read_in_pages() {
    Scan scan{.resource = "pods", .limit = static_cast<size_t>(*rc::gen::inRange(1, 4))};
    State joined;
    std::string after;
    Revision first = 0;
    while (true) {
      scan.after = after;
      const auto page = store_.list(scan);
      if (!page) {
        RC_ASSERT(first != 0 && first < store_.compacted("pods"));
        return;
      }
      scan.revision = first = page->revision;
      joined.merge(as_state(*page));
      if (!page->more) {
        break;
      }
      after = page->items.back()->key();
      write();
      commit();
    }
    RC_ASSERT(joined == model("", first));
  }

  void start_follower() {
    Follower follower;
    follower.ns = *rc::gen::element<std::string>("", "x", "y");
    relist(follower);
    followers_.push_back(std::move(follower));
  }

  void advance_follower() {
    if (followers_.empty()) {
      return;
    }
    Follower& follower = followers_[*rc::gen::inRange<size_t>(0, followers_.size())];
    if (*rc::gen::inRange(0, 4) == 0) {
      resume(follower);
    }
    pull(follower, *rc::gen::inRange(0, 6));
  }

  // S5: list plus watch is the store.
  void settle() {
    journal_.commit_up_to(store_.head_revision());
    for (Follower& follower : followers_) {
      pull(follower, 1'000'000);
      RC_ASSERT(follower.state == model(follower.ns, store_.revision()));
    }
  }

 private:
  std::string pick_namespace() { return *rc::gen::element<std::string>("x", "y"); }

  State as_state(const VersionPage& page) {
    State state;
    for (const VersionPtr& version : page.items) {
      state[version->key()] = {version->revision(), version->bytes()};
    }
    return state;
  }

  State model(const std::string& ns, Revision at) {
    State state = std::prev(snapshots_.upper_bound(at))->second;
    std::erase_if(state, [&](const auto& entry) { return !entry.first.starts_with(ns); });
    return state;
  }

  void relist(Follower& follower) {
    const VersionPage page = store_.list({.resource = "pods", .ns = follower.ns}).value();
    follower.state = as_state(page);
    follower.seen = page.revision;
    follower.watcher = store_.watch("pods", follower.ns, follower.seen, [] {});
    RC_ASSERT(follower.watcher != nullptr);
    ++follower.relists;
  }

  void resume(Follower& follower) {
    follower.watcher = store_.watch("pods", follower.ns, follower.seen, [] {});
    if (!follower.watcher) {
      RC_ASSERT(follower.seen < store_.compacted("pods"));
      relist(follower);
    }
  }

  void pull(Follower& follower, int count) {
    for (int i = 0; i < count; ++i) {
      const Watcher::Next next = follower.watcher->next();
      if (next.gone) {
        relist(follower);
        continue;
      }
      if (!next.version) {
        return;
      }
      const Version& version = *next.version;
      RC_ASSERT(version.revision() > follower.seen);
      RC_ASSERT(version.revision() <= store_.revision());
      follower.seen = version.revision();
      RC_ASSERT((follower.state.count(version.key()) == 0) ==
                (version.change() == Change::created));
      if (version.is_deletion()) {
        follower.state.erase(version.key());
      } else {
        follower.state[version.key()] = {version.revision(), version.bytes()};
      }
      // S4: at no point is the view anything but the store as it was at that revision.
      RC_ASSERT(follower.state == model(follower.ns, follower.seen));
    }
  }

  ManualJournal journal_;
  Store store_;
  std::map<Revision, State> snapshots_;  // by the revision that made them
  std::vector<Follower> followers_;
};

RC_GTEST_PROP(StoreHistory, S2_S3_S4_S5_AnyHistoryIsConsistent, ()) {
  History history(*rc::gen::element<size_t>(1, 3, 8, 1000));
  const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 12));
  for (const int step : steps) {
    switch (step) {
      case 0:
        history.start_follower();
        break;
      case 1:
      case 2:
        history.advance_follower();
        break;
      case 3:
        history.commit();
        break;
      case 4:
        history.read();
        break;
      case 5:
        history.read_in_pages();
        break;
      case 6:
        history.refuse();
        break;
      default:
        history.write();
        break;
    }
  }
  history.settle();
}

}  // namespace
}  // namespace windlass::store
