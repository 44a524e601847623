#include "http/response_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "http/characters.h"

namespace windlass::http {
namespace {

bool is_of_the_transport(std::string_view name) {
  for (const std::string_view own : {"content-length", "transfer-encoding", "connection", "date"}) {
    if (same_ignoring_case(name, own)) {
      return true;
    }
  }
  return false;
}

void append_header(std::string& head, std::string_view name, std::string_view value) {
  head += name;
  head += ": ";
  head += clean_header_value(value);
  head += "\r\n";
}

}  // namespace

bool is_header_to_send(std::string_view name) {
  return !name.empty() && all(name, is_token_character) && !is_of_the_transport(name);
}

std::string clean_header_value(std::string_view value) {
  std::string clean(value);
  std::ranges::replace_if(
      clean, [](char c) { return !is_field_character(c); }, ' ');
  return clean;
}

std::string_view reason_phrase(int status) {
  switch (status) {
    case 101:
      return "Switching Protocols";
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 301:
      return "Moved Permanently";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 408:
      return "Request Timeout";
    case 413:
      return "Request Entity Too Large";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 422:
      return "Unprocessable Entity";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "";
  }
}

Headers lower_case_headers(const Headers& headers) {
  Headers clean;
  clean.reserve(headers.size());
  for (const Header& header : headers) {
    if (is_header_to_send(header.name)) {
      clean.push_back({header.name, clean_header_value(header.value)});
      std::ranges::transform(clean.back().name, clean.back().name.begin(), to_lower);
    }
  }
  return clean;
}

std::string response_head(int status, const Headers& headers, const Framing& framing) {
  std::string head;
  head.reserve(256);
  head += fmt::format("HTTP/1.1 {} {}\r\n", status, reason_phrase(status));
  for (const Header& header : headers) {
    if (is_header_to_send(header.name)) {
      append_header(head, header.name, header.value);
    }
  }
  if (!framing.date.empty()) {
    append_header(head, "Date", framing.date);
  }
  if (framing.chunked) {
    head += "Transfer-Encoding: chunked\r\n";
  } else if (framing.content_length) {
    head += fmt::format("Content-Length: {}\r\n", *framing.content_length);
  }
  if (framing.close) {
    head += "Connection: close\r\n";
  }
  if (!framing.upgrade.empty()) {
    append_header(head, "Connection", "Upgrade");
    append_header(head, "Upgrade", framing.upgrade);
  }
  head += "\r\n";
  return head;
}

std::string http_date(Time time) {
  constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<seconds>(time - day));
  return fmt::format(
      "{}, {:02} {} {} {:02}:{:02}:{:02} GMT", kDays[std::chrono::weekday(day).c_encoding()],
      static_cast<unsigned>(date.day()), kMonths[static_cast<unsigned>(date.month()) - 1],
      static_cast<int>(date.year()), clock.hours().count(), clock.minutes().count(),
      clock.seconds().count());
}

bool may_have_body(std::string_view method, int status) {
  return method != "HEAD" && status >= 200 && status != 204 && status != 304;
}

}  // namespace windlass::http
