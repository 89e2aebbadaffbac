// Comparing, finding and printing values.

#include "net/bolt/packstream/value.hpp"

#include <algorithm>
#include <ostream>

namespace whence::net::bolt {

namespace {

/// Prints what a value holds.
struct ValuePrinter {
  std::ostream& out;

  void operator()(std::monostate) const { out << "null"; }
  void operator()(bool value) const { out << (value ? "true" : "false"); }
  void operator()(std::int64_t value) const { out << value; }
  void operator()(double value) const { out << value; }
  void operator()(std::string const& value) const { out << '"' << value << '"'; }
  void operator()(Bytes const& value) const { out << "bytes(" << value.bytes.size() << ')'; }
  void operator()(List const& list) const {
    out << '[';
    for (auto const& item : list) out << (&item == list.data() ? "" : ",") << item;
    out << ']';
  }
  void operator()(Map const& map) const {
    out << '{';
    for (auto const& entry : map) {
      out << (&entry == map.data() ? "" : ",") << '"' << entry.key << "\":" << entry.value;
    }
    out << '}';
  }
  void operator()(Date const& value) const { out << "date(" << value.days << ')'; }
  void operator()(Time const& value) const { out << "time(" << value.nanos << ',' << value.offset << ')'; }
  void operator()(LocalTime const& value) const { out << "local_time(" << value.nanos << ')'; }
  void operator()(LocalDateTime const& value) const {
    out << "local_date_time(" << value.seconds << ',' << value.nanos << ')';
  }
  void operator()(DateTime const& value) const {
    out << "date_time(" << value.seconds << ',' << value.nanos << ',' << value.offset << value.zone << ')';
  }
  void operator()(Duration const& value) const {
    out << "duration(" << value.months << ',' << value.days << ',' << value.seconds << ',' << value.nanos << ')';
  }
};

}  // namespace

bool operator==(Value const& a, Value const& b) {
  return a.data == b.data;
}

Value const* find(Map const& map, std::string_view key) noexcept {
  auto const found = std::ranges::find(map, key, &Entry::key);
  return found == map.end() ? nullptr : &found->value;
}

std::ostream& operator<<(std::ostream& out, Value const& value) {
  std::visit(ValuePrinter{out}, value.data);
  return out;
}

}  // namespace whence::net::bolt
