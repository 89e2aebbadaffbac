// The members that hold such texts.
#include "schema/records/long_texts.hpp"

#include "schema/base/limits.hpp"

#include <optional>
#include <utility>
#include <variant>

namespace whence::schema {
namespace {

/// Calls `visit(text, digest)` for each of them.
template <class T, class Visit>
void for_each_long_text(T& record, Visit const& visit) {
  if constexpr (requires { record.content_blob; }) visit(record.content, record.content_blob);
  if constexpr (requires { record.prompt_blob; }) visit(record.prompt, record.prompt_blob);
}
template <class Visit>
void for_each_long_text(Record& record, Visit const& visit) {
  std::visit([&](auto& each) { for_each_long_text(each, visit); }, record);
}

void take(std::optional<std::string>& text, std::optional<Digest>& digest, std::vector<LongText>& into) {
  if (!text || text->size() <= limits::inline_text_bytes_max) return;
  digest = sha256(*text);
  into.push_back({*digest, *std::move(text)});
  text.reset();
}

}  // namespace

void take_long_texts(Record& record, std::vector<LongText>& into) {
  for_each_long_text(record, [&](auto& text, auto& digest) { take(text, digest, into); });
}

void take_long_texts(ContextUnit& unit, std::vector<LongText>& into) {
  for_each_long_text(unit, [&](auto& text, auto& digest) { take(text, digest, into); });
}

Result<void> put_long_texts(Record& record, RecordReader const& reader) {
  Result<void> put;
  for_each_long_text(record, [&](auto& text, auto& digest) {
    if (!digest || !put) return;
    auto blob = reader.read_blob(*digest);
    if (!blob) {
      put = blob.error();
      return;
    }
    text = *std::move(blob);
    digest.reset();
  });
  return put;
}

}  // namespace whence::schema
