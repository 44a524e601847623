#include "images/catalog/image_users.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace windlass::images {
namespace {

constexpr size_t kMaxSupplementalGroups = 1000;

std::optional<uint32_t> number_of(std::string_view text) {
  uint32_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return !text.empty() && parsed.ec == std::errc() && parsed.ptr == text.data() + text.size()
             ? std::optional(number)
             : std::nullopt;
}

std::vector<std::string_view> fields_of(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  while (true) {
    const size_t end = line.find(separator);
    fields.push_back(line.substr(0, end));
    if (end == std::string_view::npos) {
      return fields;
    }
    line.remove_prefix(end + 1);
  }
}

// Lines with at least this many fields, as far as `use` says true.
template <class Use>
void each_entry(std::string_view file, size_t least, const Use& use) {
  while (!file.empty()) {
    const std::string_view line = file.substr(0, file.find('\n'));
    file.remove_prefix(std::min(file.size(), line.size() + 1));
    const std::vector<std::string_view> fields = fields_of(line, ':');
    if (fields.size() >= least && !line.starts_with('#') && !use(fields)) {
      return;
    }
  }
}

struct PasswdEntry {
  std::string_view name;
  uint32_t uid = 0;
  uint32_t gid = 0;
  std::string_view home;
};

// name:password:uid:gid:comment:home:shell
std::optional<PasswdEntry> passwd_entry(std::string_view passwd, std::string_view user) {
  constexpr size_t kHome = 5;
  std::optional<PasswdEntry> found;
  const std::optional<uint32_t> number = number_of(user);
  each_entry(passwd, 4, [&](const std::vector<std::string_view>& fields) {
    const auto uid = number_of(fields[2]);
    const auto gid = number_of(fields[3]);
    if (uid && gid && (fields[0] == user || uid == number)) {
      found = PasswdEntry{fields[0], *uid, *gid, fields.size() > kHome ? fields[kHome] : "/"};
    }
    return !found;
  });
  return found;
}

std::optional<uint32_t> group_number(std::string_view groups, std::string_view group) {
  std::optional<uint32_t> found = number_of(group);
  if (found) {
    return found;
  }
  each_entry(groups, 3, [&](const std::vector<std::string_view>& fields) {
    found = fields[0] == group ? number_of(fields[2]) : found;
    return !found;
  });
  return found;
}

std::vector<uint32_t> groups_with(std::string_view groups, std::string_view user) {
  constexpr size_t kMembers = 3;
  std::vector<uint32_t> found;
  each_entry(groups, kMembers + 1, [&](const std::vector<std::string_view>& fields) {
    const std::vector<std::string_view> members = fields_of(fields[kMembers], ',');
    const auto number = number_of(fields[2]);
    if (number && std::find(members.begin(), members.end(), user) != members.end()) {
      found.push_back(*number);
    }
    return found.size() < kMaxSupplementalGroups;
  });
  return found;
}

}  // namespace

Result<ImageUser> find_user(std::string_view text, std::string_view passwd,
                            std::string_view groups) {
  const size_t colon = text.find(':');
  const std::string_view named = text.substr(0, colon);
  const std::string_view user = named.empty() ? "0" : named;
  const auto entry = passwd_entry(passwd, user);
  const auto number = number_of(user);
  if (!entry && !number) {
    return fail(plain_error(
        fmt::format("unable to find user {}: no matching entries in passwd file", user)));
  }
  ImageUser found;
  found.by_name = !number;
  found.uid = entry ? entry->uid : *number;
  if (entry) {
    found.gid = entry->gid;
    found.home = entry->home.starts_with('/') ? entry->home : "/";
    found.groups = groups_with(groups, entry->name);
  }
  if (colon != std::string_view::npos && colon + 1 < text.size()) {
    const auto group = group_number(groups, text.substr(colon + 1));
    if (!group) {
      return fail(
          plain_error(fmt::format("unable to find group {}: no matching entries in group "
                                  "file",
                                  text.substr(colon + 1))));
    }
    found.gid = *group;
    found.groups.clear();
  }
  std::erase(found.groups, found.gid);
  return found;
}

}  // namespace windlass::images
