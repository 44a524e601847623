# What a release is compiled and linked with, so that a mistake in memory ends the program instead of
# being used (docs/decisions/0044). tests/hardening_test.cc looks at the binary. Sanitized and debug
# builds have their own checks.

option(WINDLASS_HARDENED "Harden a release build; OFF only to measure the cost" ON)
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND WINDLASS_HARDENED)
  # Libraries and programs alike, so that they share precompiled headers; g++ links with -pie by itself.
  add_compile_options(-fPIE -fstack-protector-strong -fstack-clash-protection)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|amd64")
    add_compile_options(-fcf-protection=full)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    add_compile_options(-mbranch-protection=standard)
  endif()
  add_compile_definitions(_GLIBCXX_ASSERTIONS _FORTIFY_SOURCE=2)
  add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
endif()
