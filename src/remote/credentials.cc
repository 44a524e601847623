#include "remote/credentials.h"

#include <algorithm>
#include <utility>

namespace windlass::remote {
namespace {

// A token goes into a header as it is.
bool is_token(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

std::string_view without_line_end(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace

Credentials::Credentials(env::Files& files, env::Clock& clock, ClusterAccess access,
                         RunPlugin run_plugin)
    : files_(files),
      clock_(clock),
      access_(std::move(access)),
      run_plugin_(std::move(run_plugin)) {}

bool Credentials::has_run_out() const {
  return !told_ || refused_ ||
         (told_->expires && clock_.now() >= *told_->expires &&
          clock_.monotonic() - told_at_ >= kShortestUse);
}

bool Credentials::plugin_is_due() const {
  return has_run_out() || (told_->expires && clock_.now() >= *told_->expires - kRefreshBefore &&
                           clock_.monotonic() - asked_at_ >= kShortestUse);
}

void Credentials::refresh() {
  if (access_.exec && plugin_is_due()) {
    ask_plugin();
  }
}

void Credentials::prepare(std::function<void(const Result<void>&)> on_ready) {
  refresh();
  if (ready()) {
    return on_ready({});
  }
  waiting_.push_back(std::move(on_ready));
}

void Credentials::ask_plugin() {
  if (asking_ == nullptr) {
    asked_at_ = clock_.monotonic();
    asking_ = run_plugin_(*access_.exec,
                          [this](Result<PluginCredential> told) { on_plugin(std::move(told)); });
  }
}

void Credentials::on_plugin(Result<PluginCredential> told) {
  const auto finished = std::exchange(asking_, nullptr);  // it is still on the stack
  Result<void> ready;
  if (told && (told->token.empty() || is_token(told->token))) {
    if (!told_ || told_->certificate_pem != told->certificate_pem ||
        told_->key_pem != told->key_pem) {
      tls_.reset();
      ++tls_generation_;
    }
    told_ = *std::move(told);
    told_at_ = clock_.monotonic();
    refused_ = false;
  } else if (has_run_out()) {
    ready = fail(told ? plain_error("the plugin's token has invalid characters") : told.error());
  }
  for (const auto& each : std::exchange(waiting_, {})) {
    each(ready);
  }
}

Result<std::string> Credentials::content_of(const std::string& given, const std::string& file) {
  return file.empty() ? given : files_.read(file, kMaxFileBytes);
}

bool Credentials::reread() {
  token_read_ = false;
  tls_reread_ = true;
  refused_ = true;
  return !access_.token_file.empty() || !access_.certificate_file.empty() ||
         access_.exec.has_value();
}

uint64_t Credentials::tls_generation() {
  if (tls_ != nullptr) {
    static_cast<void>(tls());  // what cannot be read leaves the old one in use
  }
  return tls_generation_;
}

Result<std::string> Credentials::authorization() {
  if (access_.exec) {
    if (!told_) {
      return fail(plain_error("the exec plugin has not answered yet"));
    }
    return told_->token.empty() ? std::string() : "Bearer " + told_->token;
  }
  if (access_.token.empty() && access_.token_file.empty()) {
    return std::string();
  }
  const MonotonicTime now = clock_.monotonic();
  if (!token_read_ || (!access_.token_file.empty() && now - token_time_ >= kRereadAfter)) {
    token_time_ = now;
    const auto read = content_of(access_.token, access_.token_file);
    const std::string_view token = without_line_end(read ? std::string_view(*read) : "");
    if (is_token(token)) {
      token_ = token;
      token_read_ = true;
    } else if (token_.empty()) {
      return fail(read ? plain_error("the token is empty or has invalid characters")
                       : read.error());
    }
  }
  return "Bearer " + token_;
}

Result<std::shared_ptr<const net::TlsClientContext>> Credentials::tls() {
  if (!access_.server.tls) {
    return nullptr;
  }
  const MonotonicTime now = clock_.monotonic();
  if (tls_ != nullptr && !tls_reread_ && now - tls_time_ < kRereadAfter) {
    return tls_;
  }
  tls_time_ = now;
  tls_reread_ = false;
  net::TlsClientFiles files;
  files.verify = access_.verify;
  TRY(files.authority_pem, content_of(access_.authority_pem, access_.authority_file));
  TRY(files.certificate_pem, content_of(access_.certificate_pem, access_.certificate_file));
  TRY(files.key_pem, content_of(access_.key_pem, access_.key_file));
  if (told_ && !told_->certificate_pem.empty()) {
    files.certificate_pem = told_->certificate_pem;
    files.key_pem = told_->key_pem;
  }
  if (tls_ == nullptr || files != tls_files_) {
    // A certificate and its key may be caught between their two replacements; then the old ones
    // serve until the next look.
    auto made = net::TlsClientContext::make(files);
    if (!made && tls_ != nullptr) {
      return tls_;
    }
    TRY(tls_, std::move(made));
    tls_files_ = std::move(files);
    ++tls_generation_;
  }
  return tls_;
}

}  // namespace windlass::remote
