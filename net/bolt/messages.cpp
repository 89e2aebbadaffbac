// Requests are read by a table: the tag, how many fields follow, and since which version of Bolt there is one. One of a
// later version than was agreed is an unknown message.

#include "net/bolt/messages.hpp"

#include "net/bolt/chunking.hpp"
#include "net/bolt/packstream/writer.hpp"

#include <algorithm>
#include <array>
#include <ostream>
#include <utility>

namespace whence::net::bolt {

namespace {

constexpr std::uint8_t success_tag = 0x70;
constexpr std::uint8_t ignored_tag = 0x7E;
constexpr std::uint8_t failure_tag = 0x7F;

/// A request: its tag, the fields that follow, and since when there is one.
struct RequestForm {
  RequestKind kind;
  std::string_view name;
  std::uint8_t tag;
  std::uint8_t fields;
  Version since;
};

constexpr std::array<RequestForm, 13> request_forms = {{
    {RequestKind::hello, "HELLO", 0x01, 1, version_4_4},
    {RequestKind::logon, "LOGON", 0x6A, 1, version_5_1},
    {RequestKind::logoff, "LOGOFF", 0x6B, 0, version_5_1},
    {RequestKind::goodbye, "GOODBYE", 0x02, 0, version_4_4},
    {RequestKind::reset, "RESET", 0x0F, 0, version_4_4},
    {RequestKind::run, "RUN", 0x10, 3, version_4_4},
    {RequestKind::begin, "BEGIN", 0x11, 1, version_4_4},
    {RequestKind::commit, "COMMIT", 0x12, 0, version_4_4},
    {RequestKind::rollback, "ROLLBACK", 0x13, 0, version_4_4},
    {RequestKind::discard, "DISCARD", 0x2F, 1, version_4_4},
    {RequestKind::pull, "PULL", 0x3F, 1, version_4_4},
    {RequestKind::route, "ROUTE", 0x66, 3, version_4_4},
    {RequestKind::telemetry, "TELEMETRY", 0x54, 1, version_5_4},
}};

Failure invalid(std::string message) {
  return {.kind = FailureKind::request_invalid, .message = std::move(message)};
}

/// Moves what was read to its place; why not otherwise.
template <class T>
Outcome<void> take(Outcome<T> read, T& into) {
  if (!read) return std::move(read).error();
  into = std::move(*read);
  return {};
}

Outcome<void> read_fields(PackReader& reader, Request& request) {
  switch (request.kind) {
    case RequestKind::run: {
      if (auto read = take(reader.read_text(), request.statement); !read) return read;
      if (auto read = take(reader.read_map(), request.parameters); !read) return read;
      return take(reader.read_map(), request.extra);
    }
    case RequestKind::route: {
      if (auto read = take(reader.read_map(), request.routing); !read) return read;
      if (auto read = take(reader.read_list(), request.bookmarks); !read) return read;
      return take(reader.read_map(), request.extra);
    }
    case RequestKind::telemetry: {
      // Which interface of the driver is used. That is not counted here.
      auto const api = reader.read_integer();
      if (!api) return api.error();
      return {};
    }
    case RequestKind::hello:
    case RequestKind::logon:
    case RequestKind::begin:
    case RequestKind::discard:
    case RequestKind::pull:
      return take(reader.read_map(), request.extra);
    case RequestKind::logoff:
    case RequestKind::goodbye:
    case RequestKind::reset:
    case RequestKind::commit:
    case RequestKind::rollback:
      return {};
  }
  return {};
}

}  // namespace

std::string_view name_of(RequestKind kind) noexcept {
  return std::ranges::find(request_forms, kind, &RequestForm::kind)->name;
}

std::ostream& operator<<(std::ostream& out, RequestKind kind) {
  return out << name_of(kind);
}

Outcome<Request> decode_request(std::string_view message, Version version, Dialect dialect, PackLimits limits) {
  PackReader reader{message, dialect, limits};
  auto const head = reader.read_structure();
  if (!head) return head.error();
  auto const form = std::ranges::find(request_forms, head->tag, &RequestForm::tag);
  if (form == request_forms.end() || form->since > version) return invalid("an unknown message");
  if (form->fields != head->fields) return invalid(std::string{form->name} + " has another number of fields");
  Request request{.kind = form->kind, .bytes = message.size()};
  if (auto const read = read_fields(reader, request); !read) {
    return Failure{.kind = read.error().kind, .message = std::string{form->name} + ": " + read.error().message};
  }
  if (!reader.is_at_end()) return invalid(std::string{form->name} + ": bytes after its end");
  return request;
}

void write_success(std::string& out, Dialect dialect, Map const& metadata) {
  auto const begin = begin_message(out);
  PackWriter writer{out, dialect};
  writer.begin_structure(success_tag, 1);
  writer.map(metadata);
  end_message(out, begin);
}

void write_failure(std::string& out, Dialect dialect, Failure const& failure) {
  auto const begin = begin_message(out);
  PackWriter writer{out, dialect};
  writer.begin_structure(failure_tag, 1);
  writer.begin_map(2);
  writer.text("code");
  writer.text(code_of(failure.kind));
  writer.text("message");
  writer.text(failure.message);
  end_message(out, begin);
}

void write_ignored(std::string& out) {
  auto const begin = begin_message(out);
  PackWriter{out, {}}.begin_structure(ignored_tag, 0);
  end_message(out, begin);
}

}  // namespace whence::net::bolt
