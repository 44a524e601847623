// Whether this build watches every access: then it is slow, and tests that try thousands of cases,
// all of which a release build tries too, take fewer. Included by *_test.cc only.
#pragma once

namespace windlass {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized =
    __has_feature(address_sanitizer) != 0 || __has_feature(thread_sanitizer) != 0;
#else
constexpr bool kSanitized = false;
#endif

}  // namespace windlass
