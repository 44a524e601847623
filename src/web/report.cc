#include "web/report.h"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <array>
#include <set>

#include "api/codec/base64.h"
#include "base/check.h"
#include "web/assets.h"

namespace windlass::web {
namespace {

std::string_view asset_text(std::string_view name) {
  const Asset* asset = find_asset(name);
  CHECK(asset != nullptr, "the page lacks one of its files");
  return asset->text;
}

// As a Content-Security-Policy names an inline script or style that may be used.
std::string source_hash(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  const std::string_view bytes(reinterpret_cast<const char*>(digest.data()), digest.size());
  std::string source = "'sha256-";
  api::append_base64(bytes, source);
  return source + "'";
}

std::string escape_html(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

// The modules of the page have one import on a line, and top-level names that no other module has
// (tests/web checks both), so that their texts can stand one after the other.
void append_module(std::string_view name, std::set<std::string, std::less<>>& seen,
                   std::string& out) {
  if (!seen.emplace(name).second) {
    return;
  }
  constexpr std::string_view kImport = "import ";
  constexpr std::string_view kFrom = " from './";
  constexpr std::string_view kExport = "export ";
  std::string own;
  std::string_view rest = asset_text(name);
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.starts_with(kImport)) {
      const size_t from = line.find(kFrom) + kFrom.size();
      append_module(line.substr(from, line.rfind('\'') - from), seen, out);
      continue;
    }
    if (line.starts_with(kExport)) {
      line.remove_prefix(kExport.size());
    }
    own += line;
    own += '\n';
  }
  out += own;
}

}  // namespace

std::string bundle(std::string_view module) {
  std::set<std::string, std::less<>> seen;
  std::string text;
  append_module(module, seen, text);
  return text;
}

std::string report_html(std::string_view title, std::string_view page) {
  const std::string script = "\n" + bundle("report.js");
  const std::string_view style = asset_text("style.css");
  const std::string policy = fmt::format(
      "default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'",
      source_hash(script), source_hash(style));
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n"
      "<style>{}</style>\n</head>\n<body>\n"
      "<a class=\"skip\" href=\"#content\">Skip to the content</a>\n"
      "<header id=\"top\"></header>\n"
      "<main id=\"content\" tabindex=\"-1\"><p class=\"quiet\">This report needs JavaScript, "
      "which it contains.</p></main>\n"
      "<div id=\"said\" class=\"unseen\" aria-live=\"polite\"></div>\n"
      "<script type=\"application/json\" id=\"data\">{}</script>\n"
      "<script type=\"module\">{}</script>\n</body>\n</html>\n",
      policy, escape_html(title), style, page, script);
}

}  // namespace windlass::web
