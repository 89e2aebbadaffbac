// Records to and from their stored form: dispatch to the `fill` and `read` of each record type.
#include "schema/stored/codec.hpp"
#include "schema/stored/context.hpp"
#include "schema/stored/conversation.hpp"
#include "schema/stored/discussion.hpp"
#include "schema/stored/message.hpp"
#include "schema/stored/prov.hpp"
#include "schema/stored/records.capnp.h"
#include "schema/stored/retrieval.hpp"

#include <boost/assert.hpp>

namespace whence::schema::stored {
namespace {

/// The Cap'n Proto struct of a record type: the one of the same name.
template <class T>
struct WireOf;
#define WHENCE_WIRE(number, enumerator, Struct, ...) \
  template <>                                        \
  struct WireOf<Struct> {                            \
    using type = wire::Struct;                       \
  };
WHENCE_RECORD_TYPES(WHENCE_WIRE)
#undef WHENCE_WIRE

template <class T>
Words encode_content(T const& record) {
  using Wire = typename WireOf<T>::type;
  return write_message<Wire>([&](typename Wire::Builder out) { stored::fill(out, record); });
}

template <class T>
Result<Record> decode_content(std::span<std::byte const> bytes) {
  if constexpr (info(T::record_type).is_node) {
    using Wire = typename WireOf<T>::type;
    return read_message<Wire>(bytes, [](typename Wire::Reader in) {
      Record record{std::in_place_type<T>};
      stored::read(in, std::get<T>(record));  // qualified: a unity file may have others of its own
      return record;
    });
  } else {
    return corrupt("a record type that is not stored");
  }
}

}  // namespace

Words encode(Record const& record) {
  BOOST_ASSERT(info(type_of(record)).is_node);
  return std::visit([](auto const& each) { return encode_content(each); }, record);
}

Digest fingerprint(Record const& record) {
  Words const content = std::visit([](auto const& each) { return encode_content(each); }, record);
  Words const whole = write_message<wire::Whole>([&](wire::Whole::Builder out) {
    out.setType(static_cast<std::uint8_t>(type_of(record)));
    out.setId(text(node_id_of(record)));
    auto const bytes = std::as_bytes(std::span{content});
    out.setContent({reinterpret_cast<capnp::byte const*>(bytes.data()), bytes.size()});
    std::visit(
        [&](auto const& each) {
          if constexpr (requires { stored::fill_whole(out, each); }) stored::fill_whole(out, each);
        },
        record);
  });
  return sha256(bytes_of(whole));
}

Result<Record> decode(RecordType type, std::span<std::byte const> bytes) {
  switch (type) {
#define WHENCE_CASE(number, enumerator, Struct, ...) \
  case RecordType::enumerator:                       \
    return decode_content<Struct>(bytes);
    WHENCE_RECORD_TYPES(WHENCE_CASE)
#undef WHENCE_CASE
  }
  return corrupt("a record type that is not stored");
}

}  // namespace whence::schema::stored
