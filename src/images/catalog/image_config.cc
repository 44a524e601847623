#include "images/catalog/image_config.h"

#include <signal.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace windlass::images {
namespace {

constexpr std::string_view kSha256 = "sha256:";
constexpr size_t kSha256Hex = 64;

template <class Number>
Number number_in(std::string_view text) {
  Number number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() ? number : 0;
}

Result<void> check_words(std::string_view what, const std::vector<std::string>& words) {
  if (words.size() > kMaxImageWords) {
    return fail(
        plain_error("the image configuration has too many entries in " + std::string(what)));
  }
  const bool good = std::none_of(words.begin(), words.end(), [](const std::string& word) {
    return word.find('\0') != std::string::npos;
  });
  return good ? Result<void>()
              : fail(plain_error("the image configuration has a NUL character in " +
                                 std::string(what)));
}

Result<void> check_config(const ImageConfig& config) {
  TRY_VOID(check_words("Entrypoint", config.entrypoint));
  TRY_VOID(check_words("Cmd", config.command));
  TRY_VOID(check_words("Env", config.environment));
  TRY_VOID(check_words("Volumes", config.volumes));
  TRY_VOID(check_words("User", {config.user, config.working_directory, config.stop_signal}));
  if (config.layers.size() > kMaxImageLayers) {
    return fail(plain_error("the image configuration has too many layers"));
  }
  const bool known = std::all_of(config.layers.begin(), config.layers.end(), is_sha256);
  return known ? Result<void>()
               : fail(plain_error("the image configuration names a layer without its sha256"));
}

}  // namespace

bool is_sha256(std::string_view digest) {
  return digest.size() == kSha256.size() + kSha256Hex && digest.starts_with(kSha256) &&
         digest.find_first_not_of("0123456789abcdef", kSha256.size()) == std::string_view::npos;
}

std::string json_text(const api::JsonValue& value, std::string_view name) {
  const api::JsonValue* found = value.find(name);
  return found != nullptr && found->is_string() ? found->text : "";
}

std::vector<std::string> json_texts(const api::JsonValue& value, std::string_view name) {
  std::vector<std::string> texts;
  const api::JsonValue* found = value.find(name);
  if (found != nullptr) {
    for (const api::JsonValue& item : found->items) {
      texts.push_back(item.text);
    }
  }
  return texts;
}

uint64_t json_count(const api::JsonValue& value, std::string_view name) {
  const api::JsonValue* found = value.find(name);
  return found != nullptr && found->type == api::JsonValue::Type::number
             ? number_in<uint64_t>(found->text)
             : 0;
}

Result<ImageConfig> read_image_config(std::string_view json) {
  auto tree = api::parse_json_value(json);
  if (!tree || !tree->value.is_object()) {
    return fail(plain_error("the image configuration is not a JSON object"));
  }
  const api::JsonValue& all = tree->value;
  ImageConfig config;
  config.system = json_text(all, "os");
  config.architecture = json_text(all, "architecture");
  if (const api::JsonValue* process = all.find("config")) {
    config.entrypoint = json_texts(*process, "Entrypoint");
    config.command = json_texts(*process, "Cmd");
    config.environment = json_texts(*process, "Env");
    config.user = json_text(*process, "User");
    config.working_directory = json_text(*process, "WorkingDir");
    config.stop_signal = json_text(*process, "StopSignal");
    if (const api::JsonValue* volumes = process->find("Volumes")) {
      for (const auto& [path, nothing] : volumes->members) {
        config.volumes.push_back(path);
      }
    }
  }
  if (const api::JsonValue* file_system = all.find("rootfs")) {
    config.layers = json_texts(*file_system, "diff_ids");
  }
  TRY_VOID(check_config(config));
  return config;
}

void write_stored_config(const ImageConfig& config, JsonWriter& writer) {
  writer.open_object();
  writer.strings("entrypoint", config.entrypoint);
  writer.strings("command", config.command);
  writer.strings("environment", config.environment);
  writer.member("user", config.user);
  writer.member("workingDirectory", config.working_directory);
  writer.member("stopSignal", config.stop_signal);
  writer.strings("volumes", config.volumes);
  writer.strings("layers", config.layers);
  writer.member("system", config.system);
  writer.member("architecture", config.architecture);
  writer.close_object();
}

ImageConfig read_stored_config(const api::JsonValue& value) {
  ImageConfig config;
  config.entrypoint = json_texts(value, "entrypoint");
  config.command = json_texts(value, "command");
  config.environment = json_texts(value, "environment");
  config.user = json_text(value, "user");
  config.working_directory = json_text(value, "workingDirectory");
  config.stop_signal = json_text(value, "stopSignal");
  config.volumes = json_texts(value, "volumes");
  config.layers = json_texts(value, "layers");
  config.system = json_text(value, "system");
  config.architecture = json_text(value, "architecture");
  return config;
}

int signal_number(std::string_view name) {
  static constexpr std::pair<std::string_view, int> kSignals[] = {
      {"HUP", SIGHUP},   {"INT", SIGINT},   {"QUIT", SIGQUIT},    {"ABRT", SIGABRT},
      {"KILL", SIGKILL}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2},    {"PIPE", SIGPIPE},
      {"ALRM", SIGALRM}, {"TERM", SIGTERM}, {"CONT", SIGCONT},    {"STOP", SIGSTOP},
      {"TSTP", SIGTSTP}, {"TTIN", SIGTTIN}, {"TTOU", SIGTTOU},    {"WINCH", SIGWINCH},
      {"PWR", SIGPWR},   {"IO", SIGIO},     {"VTALRM", SIGVTALRM}};
  constexpr std::string_view kPrefix = "SIG";
  constexpr std::string_view kRealTime = "RTMIN+";
  if (name.starts_with(kPrefix)) {
    name.remove_prefix(kPrefix.size());
  }
  for (const auto& [known, number] : kSignals) {
    if (known == name) {
      return number;
    }
  }
  const bool real_time = name.starts_with(kRealTime);
  const int number =
      real_time ? SIGRTMIN + number_in<int>(name.substr(kRealTime.size())) : number_in<int>(name);
  return number > 0 && number <= SIGRTMAX ? number : 0;
}

}  // namespace windlass::images
