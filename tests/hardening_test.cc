// Whether the program that users run was compiled and linked as cmake/hardening.cmake says. Reads
// the ELF file itself, so that it also holds for a stripped one. x86-64 and release builds only.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace windlass {
namespace {

class Elf {
 public:
  explicit Elf(const std::string& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    bytes_.resize(file.good() ? static_cast<size_t>(file.tellg()) : 0);
    file.seekg(0);
    file.read(bytes_.data(), static_cast<std::streamsize>(bytes_.size()));
  }

  bool valid() const {
    return bytes_.size() > sizeof(Elf64_Ehdr) && std::memcmp(bytes_.data(), ELFMAG, SELFMAG) == 0 &&
           bytes_[EI_CLASS] == ELFCLASS64;
  }
  Elf64_Ehdr header() const { return at<Elf64_Ehdr>(0); }

  std::vector<Elf64_Phdr> segments(uint32_t type) const {
    std::vector<Elf64_Phdr> found;
    for (size_t i = 0; i < header().e_phnum; ++i) {
      const auto segment = at<Elf64_Phdr>(header().e_phoff + i * sizeof(Elf64_Phdr));
      if (segment.p_type == type) {
        found.push_back(segment);
      }
    }
    return found;
  }

  uint64_t dynamic(int64_t tag) const {
    const Elf64_Phdr segment = segments(PT_DYNAMIC).at(0);
    for (size_t offset = 0; offset < segment.p_filesz; offset += sizeof(Elf64_Dyn)) {
      const auto entry = at<Elf64_Dyn>(segment.p_offset + offset);
      if (entry.d_tag == tag) {
        return entry.d_un.d_val;
      }
    }
    return 0;
  }

  // Of the dynamic symbol table: what it needs of its libraries.
  std::set<std::string> symbols() const {
    std::set<std::string> names;
    for (size_t i = 0; i < header().e_shnum; ++i) {
      const Elf64_Shdr table = section(i);
      if (table.sh_type != SHT_DYNSYM) {
        continue;
      }
      const Elf64_Shdr strings = section(table.sh_link);
      for (size_t offset = 0; offset < table.sh_size; offset += sizeof(Elf64_Sym)) {
        const auto symbol = at<Elf64_Sym>(table.sh_offset + offset);
        names.insert(bytes_.data() + strings.sh_offset + symbol.st_name);
      }
    }
    return names;
  }

  // How often these bytes stand in code.
  size_t count_in_code(std::string_view pattern) const {
    size_t count = 0;
    for (const Elf64_Phdr& segment : segments(PT_LOAD)) {
      if ((segment.p_flags & PF_X) == 0) {
        continue;
      }
      const std::string_view code(bytes_.data() + segment.p_offset, segment.p_filesz);
      for (size_t found = code.find(pattern); found != std::string_view::npos;
           found = code.find(pattern, found + pattern.size())) {
        ++count;
      }
    }
    return count;
  }

 private:
  template <class T>
  T at(size_t offset) const {
    T value{};
    if (offset + sizeof(T) <= bytes_.size()) {
      std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    }
    return value;
  }
  Elf64_Shdr section(size_t number) const {
    return at<Elf64_Shdr>(header().e_shoff + number * sizeof(Elf64_Shdr));
  }

  std::vector<char> bytes_;
};

class Hardening : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(std::getenv("WINDLASS_PROGRAM"), nullptr);
    ASSERT_TRUE(elf_.valid());
  }

  const Elf elf_{std::getenv("WINDLASS_PROGRAM") == nullptr ? "" : std::getenv("WINDLASS_PROGRAM")};
};

TEST_F(Hardening, IsPositionIndependent) {
  EXPECT_EQ(elf_.header().e_type, ET_DYN);
  EXPECT_NE(elf_.dynamic(DT_FLAGS_1) & DF_1_PIE, 0u);
}

TEST_F(Hardening, RelocationsAreReadOnlyBeforeItRuns) {
  EXPECT_EQ(elf_.segments(PT_GNU_RELRO).size(), 1u);
  EXPECT_NE(elf_.dynamic(DT_FLAGS_1) & DF_1_NOW, 0u);
}

TEST_F(Hardening, NothingIsBothWritableAndExecutable) {
  for (const uint32_t type : {uint32_t{PT_LOAD}, uint32_t{PT_GNU_STACK}}) {
    for (const Elf64_Phdr& segment : elf_.segments(type)) {
      EXPECT_NE(segment.p_flags & (PF_W | PF_X), uint32_t{PF_W | PF_X}) << segment.p_vaddr;
    }
  }
  EXPECT_EQ(elf_.segments(PT_GNU_STACK).size(), 1u);
}

TEST_F(Hardening, StacksBuffersAndContainersAreChecked) {
  const std::set<std::string> symbols = elf_.symbols();
  EXPECT_TRUE(symbols.contains("__stack_chk_fail"));
  EXPECT_TRUE(symbols.contains("__memcpy_chk") || symbols.contains("__read_chk") ||
              symbols.contains("__recv_chk"));
  EXPECT_TRUE(symbols.contains("_ZSt21__glibcxx_assert_failPKciS0_S0_"));
}

// endbr64. The start files and libraries have some, too: far fewer than our own functions do.
TEST_F(Hardening, IndirectJumpsHaveMarkedTargets) {
  constexpr size_t kMoreThanLibrariesHave = 5'000;
  EXPECT_GT(elf_.count_in_code("\xf3\x0f\x1e\xfa"), kMoreThanLibrariesHave);
}

}  // namespace
}  // namespace windlass
