#include "plane/supervisor_program.h"

// The program built from src/supervisor/main.cc.
__asm__(
    ".section .rodata\n"
    ".balign 16\n"
    ".globl windlass_supervisor_begin\n"
    ".hidden windlass_supervisor_begin\n"
    "windlass_supervisor_begin:\n"
    ".incbin \"" WINDLASS_SUPERVISOR_FILE
    "\"\n"
    ".globl windlass_supervisor_end\n"
    ".hidden windlass_supervisor_end\n"
    "windlass_supervisor_end:\n"
    ".byte 0\n"
    ".text\n");

extern "C" {
__attribute__((visibility("hidden"))) extern const char windlass_supervisor_begin[];
__attribute__((visibility("hidden"))) extern const char windlass_supervisor_end[];
}

namespace windlass::plane {

std::string_view supervisor_program() {
  return {windlass_supervisor_begin, windlass_supervisor_end};
}

}  // namespace windlass::plane
