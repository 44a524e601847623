#include "api/generate_name.h"

namespace windlass::api {
namespace {

constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
constexpr size_t kSuffixBytes = 5;

}  // namespace

std::string generate_name(std::string_view base, env::Random& random) {
  std::string name(base.substr(0, kMaxGeneratedBaseBytes));
  for (size_t i = 0; i < kSuffixBytes; ++i) {
    name += kAlphabet[random.next() % kAlphabet.size()];
  }
  return name;
}

}  // namespace windlass::api
