// The protobuf form of OTLP. A message is read field by field: what is not known is skipped by its wire type, and a
// field of another wire type than it should have counts as unknown, as protobuf itself does.
//
// A span, a log record, or a part of one that is malformed costs itself: what was read of it before stays, and it
// counts as left out. A malformed request, resource or scope says no more where its parts begin, and is refused.
//
// Invariant: every view lies within the body, and nothing is read beyond the message that contains it.

#include "net/capture/otlp.hpp"
#include "net/capture/spans/mapping.hpp"
#include "schema/base/text.hpp"
#include "schema/encoding/base64.hpp"

#include <bit>
#include <memory>
#include <optional>
#include <utility>

namespace whence::net::capture {

namespace {

namespace json = boost::json;

enum class Wire : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

/// One field of a message: `number` of varints and fixed ones, `bytes` of the rest.
struct Field {
  std::uint32_t tag = 0;
  Wire wire = Wire::varint;
  std::uint64_t number = 0;
  std::string_view bytes = {};

  [[nodiscard]] bool is(std::uint32_t wanted, Wire form) const noexcept { return tag == wanted && wire == form; }
};

/// The fields of one message, in order.
class Fields {
 public:
  explicit Fields(std::string_view message) : rest_(message) {}

  /// The next field; nothing at the end, and where the message is malformed (`is_broken`).
  std::optional<Field> next() {
    if (rest_.empty() || is_broken_) return std::nullopt;
    auto const key = varint();
    Field field{.tag = static_cast<std::uint32_t>(key >> 3), .wire = static_cast<Wire>(key & 7)};
    if (field.tag == 0 || key >> 32 != 0) is_broken_ = true;
    switch (field.wire) {
      case Wire::varint:
        field.number = varint();
        break;
      case Wire::fixed64:
        field.number = fixed(8);
        break;
      case Wire::fixed32:
        field.number = fixed(4);
        break;
      case Wire::bytes:
        field.bytes = take(varint());
        break;
      default:  // groups are not part of proto3
        is_broken_ = true;
    }
    return is_broken_ ? std::nullopt : std::optional{field};
  }

  [[nodiscard]] bool is_broken() const noexcept { return is_broken_; }

 private:
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      if (rest_.empty()) break;
      auto const byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    is_broken_ = true;
    return 0;
  }

  std::uint64_t fixed(std::size_t size) {
    std::uint64_t value = 0;
    auto const bytes = take(size);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    }
    return value;
  }

  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) {
      is_broken_ = true;
      return {};
    }
    auto const taken = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view rest_;
  bool is_broken_ = false;
};

class Decoder {
 public:
  Decoder(Signal signal, std::size_t& unnamed, Growth& growth) : signal_(signal), unnamed_(unnamed), growth_(growth) {}

  Result<Telemetry> run(std::string_view bytes) {
    each_outer(bytes, [&](Field const& field) {
      if (field.is(1, Wire::bytes)) resource(field.bytes);
    });
    if (growth_.is_refused()) return no_room();
    if (is_broken_) return Error{.code = Errc::parse_error, .message = "the body is no protobuf of this kind"};
    return std::move(out_);
  }

 private:
  /// Whether the message is well-formed.
  template <class Visit>
  bool read(std::string_view message, Visit visit) {
    Fields fields(message);
    while (!growth_.is_refused()) {
      auto const field = fields.next();
      if (!field) break;
      visit(*field);
    }
    return !fields.is_broken();
  }

  /// Of a message that holds spans or log records.
  template <class Visit>
  void each_outer(std::string_view message, Visit visit) {
    if (!read(message, visit)) is_broken_ = true;
  }

  /// Of one of these, or of a part of it.
  template <class Visit>
  void each(std::string_view message, Visit visit) {
    if (!read(message, visit)) out_.left_out.add(signal_ == Signal::traces ? "span" : "log record");
  }

  /// ResourceSpans and ResourceLogs have the same form. The resource may follow what it belongs to.
  void resource(std::string_view message) {
    AttributeMap attributes;
    each_outer(message, [&](Field const& field) {
      if (!field.is(1, Wire::bytes)) return;
      each(field.bytes, [&](Field const& inner) {
        if (inner.is(1, Wire::bytes)) attribute(inner.bytes, attributes);
      });
    });
    resource_ = std::make_shared<AttributeMap const>(std::move(attributes));
    each_outer(message, [&](Field const& field) {
      if (field.is(2, Wire::bytes)) scope(field.bytes);
    });
  }

  void scope(std::string_view message) {
    each_outer(message, [&](Field const& field) {
      if (!field.is(2, Wire::bytes)) return;
      if (signal_ == Signal::traces) {
        span(field.bytes);
      } else {
        log(field.bytes);
      }
    });
  }

  void span(std::string_view message) {
    Span span{.service = service_of(*resource_), .clock = clock_of(*resource_), .resource = resource_};
    std::vector<SpanName> links;  // the span's own name may follow
    each(message, [&](Field const& field) {
      if (field.is(1, Wire::bytes)) span.name.trace = id_from_bytes(field.bytes, 16);
      if (field.is(2, Wire::bytes)) span.name.span = id_from_bytes(field.bytes, 8);
      if (field.is(4, Wire::bytes)) span.parent = id_from_bytes(field.bytes, 8);
      if (field.is(6, Wire::varint)) span.is_client = field.number == 3;
      if (field.is(5, Wire::bytes)) span.title = text(field.bytes);
      if (field.is(7, Wire::fixed64)) span.start = field.number;
      if (field.is(8, Wire::fixed64)) span.end = field.number;
      if (field.is(9, Wire::bytes)) attribute(field.bytes, span.attributes);
      if (field.is(11, Wire::bytes)) add_event(field.bytes, span);
      if (field.is(15, Wire::bytes)) status(field.bytes, span);
      if (field.is(13, Wire::bytes)) {
        auto name = link(field.bytes);
        if (links.size() <= links_max && !name.trace.empty() && !name.span.empty()) links.push_back(std::move(name));
      }
    });
    for (auto& name : links) {
      if (is_kept_link(span, name)) span.links.push_back(std::move(name));
    }
    growth_.add(span.links.size() * link_bytes);
    if (span.name.trace.empty() || span.name.span.empty()) {
      ++unnamed_;
    } else {
      growth_.add(span_bytes + span.service.size());
      out_.spans.push_back(std::move(span));
    }
  }

  void status(std::string_view message, Span& span) {
    std::string why;
    bool is_error = false;
    each(message, [&](Field const& field) {
      if (field.is(2, Wire::bytes)) why = text(field.bytes);
      if (field.is(3, Wire::varint)) is_error = field.number == 2;
    });
    if (is_error) add_error(span, why);
  }

  void add_event(std::string_view message, Span& span) {
    SpanEvent event;
    each(message, [&](Field const& field) {
      if (field.is(1, Wire::fixed64)) event.time = field.number;
      if (field.is(2, Wire::bytes)) event.name = schema::to_utf8(field.bytes);
    });
    if (!is_read_event(event.name)) return;
    growth_.add(event_bytes);
    each(message, [&](Field const& field) {
      if (field.is(3, Wire::bytes)) attribute(field.bytes, event.attributes);
    });
    span.events.push_back(std::move(event));
  }

  /// A text that is kept.
  std::string text(std::string_view bytes) {
    growth_.add(bytes.size());
    return schema::to_utf8(bytes);
  }

  SpanName link(std::string_view message) {
    SpanName name;
    each(message, [&](Field const& field) {
      if (field.is(1, Wire::bytes)) name.trace = id_from_bytes(field.bytes, 16);
      if (field.is(2, Wire::bytes)) name.span = id_from_bytes(field.bytes, 8);
    });
    return name;
  }

  void log(std::string_view message) {
    LogRecord log;
    Nanos observed = 0;
    each(message, [&](Field const& field) {
      if (field.is(1, Wire::fixed64)) log.time = field.number;
      if (field.is(11, Wire::fixed64)) observed = field.number;
      if (field.is(5, Wire::bytes)) log.body = value(field.bytes, 0);
      if (field.is(6, Wire::bytes)) attribute(field.bytes, log.attributes);
      if (field.is(9, Wire::bytes)) log.name.trace = id_from_bytes(field.bytes, 16);
      if (field.is(10, Wire::bytes)) log.name.span = id_from_bytes(field.bytes, 8);
      if (field.is(12, Wire::bytes)) log.event = text(field.bytes);
    });
    if (!names_event(log)) {
      ++out_.empty_logs;
      return;
    }
    growth_.add(log_bytes);
    if (log.time == 0) log.time = observed;
    out_.logs.push_back(std::move(log));
  }

  void attribute(std::string_view message, AttributeMap& into) {
    std::string key;
    json::value held;
    growth_.add(attribute_bytes);
    bool const is_first = out_.left_out.count == 0;
    each(message, [&](Field const& field) {
      if (field.is(1, Wire::bytes)) key = text(field.bytes);
      if (field.is(2, Wire::bytes)) held = value(field.bytes, 0);
    });
    if (is_first && out_.left_out.count > 0) out_.left_out.first = key;
    into.insert_or_assign(key, std::move(held));
  }

  json::value value(std::string_view message, int depth) {
    json::value result;
    if (depth >= value_depth_max) {
      out_.left_out.add("value");
      return result;
    }
    each(message, [&](Field const& field) {
      if (field.is(1, Wire::bytes)) result = text(field.bytes);
      if (field.is(2, Wire::varint)) result = field.number != 0;
      if (field.is(3, Wire::varint)) result = static_cast<std::int64_t>(field.number);
      if (field.is(4, Wire::fixed64)) result = number_value(std::bit_cast<double>(field.number));
      if (field.is(5, Wire::bytes)) result = list(field.bytes, depth + 1);
      if (field.is(6, Wire::bytes)) result = object(field.bytes, depth + 1);
      if (field.is(7, Wire::bytes)) result = schema::encode_base64(field.bytes);  // as the JSON form has bytes
    });
    return result;
  }

  json::array list(std::string_view message, int depth) {
    json::array values;
    each(message, [&](Field const& field) {
      if (field.is(1, Wire::bytes) && growth_.add(value_bytes)) values.push_back(value(field.bytes, depth));
    });
    return values;
  }

  json::object object(std::string_view message, int depth) {
    json::object members;
    each(message, [&](Field const& field) {
      if (!field.is(1, Wire::bytes) || !growth_.add(attribute_bytes)) return;
      std::string key;
      json::value held;
      each(field.bytes, [&](Field const& inner) {
        if (inner.is(1, Wire::bytes)) key = text(inner.bytes);
        if (inner.is(2, Wire::bytes)) held = value(inner.bytes, depth);
      });
      members.insert_or_assign(key, std::move(held));
    });
    return members;
  }

  Signal const signal_;
  std::size_t& unnamed_;
  std::shared_ptr<AttributeMap const> resource_;  // of what is read
  Growth& growth_;
  Telemetry out_;
  bool is_broken_ = false;
};

}  // namespace

Result<Telemetry> decode_protobuf(std::string_view bytes, Signal signal, std::size_t& unnamed, Growth* growth) {
  Growth unbounded;
  return Decoder(signal, unnamed, growth == nullptr ? unbounded : *growth).run(bytes);
}

}  // namespace whence::net::capture
