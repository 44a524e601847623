#include "base/weak_self.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

namespace windlass {
namespace {

class Listener {
 public:
  std::function<void(const std::string&)> by_method() { return self_.bind(&Listener::hear); }
  std::function<void(const std::string&)> by_function() {
    return self_.bind([](Listener& self, const std::string& word) { self.hear(word + "!"); });
  }
  std::function<void(std::unique_ptr<std::string>)> taking() {
    return self_.bind([](Listener& self, std::unique_ptr<std::string> word) { self.hear(*word); });
  }
  std::function<void()> counting(int& calls) {
    return self_.bind([&calls](Listener&) { ++calls; });
  }
  std::weak_ptr<const void> lifetime() const { return self_.lifetime(); }

  std::string heard;

 private:
  void hear(const std::string& word) { heard += word; }

  WeakSelf<Listener> self_{this};
};

TEST(WeakSelfTest, CallbacksReachTheirOwnerWhileItLives) {
  Listener listener;
  listener.by_method()("a");
  listener.by_function()("b");
  listener.taking()(std::make_unique<std::string>("c"));
  EXPECT_EQ(listener.heard, "ab!c");
}

TEST(WeakSelfTest, CallbacksOfAnOwnerThatIsGoneDoNothing) {
  auto listener = std::make_unique<Listener>();
  int calls = 0;
  const std::function<void()> callback = listener->counting(calls);
  const auto lifetime = listener->lifetime();
  callback();
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(lifetime.expired());
  listener.reset();
  EXPECT_TRUE(lifetime.expired());
  callback();
  EXPECT_EQ(calls, 1);
}

TEST(WeakSelfTest, ACallbackThatAnswersSaysNothingWithoutItsOwner) {
  struct Asked {
    WeakSelf<Asked> self{this};
  };
  auto asked = std::make_unique<Asked>();
  const std::function<bool()> answer = asked->self.bind([](Asked&) { return true; });
  EXPECT_TRUE(answer());
  asked.reset();
  EXPECT_FALSE(answer());
}

TEST(WeakSelfTest, ACallbackThatDestroysItsOwnerCanTell) {
  struct Quitter {
    WeakSelf<Quitter> self{this};
  };
  auto quitter = std::make_unique<Quitter>();
  bool alive_after = true;
  const std::function<void()> quit = quitter->self.bind([&](Quitter& self) {
    const auto lifetime = self.self.lifetime();
    quitter.reset();
    alive_after = !lifetime.expired();
  });
  quit();
  EXPECT_FALSE(alive_after);
}

}  // namespace
}  // namespace windlass
