// One element at a time, in memory that is used again.

#include "net/calls/elements.hpp"

#include "net/base/errors.hpp"

#include <algorithm>
#include <utility>

namespace whence::net {

Error no_memory_for_elements() {
  return busy_error("there is not enough memory for what is to be written now; send less at once");
}

Elements::Elements(Request const& request, std::string_view name, boost::json::array const& values)
    : intake_(*request.intake), values_(values) {
  auto const array = std::ranges::find(request.arrays, name, &schema::json::TextArray::name);
  if (array == request.arrays.end()) return;
  text_.emplace(array->text);
  bytes_ = array->text.size();
}

boost::json::value const* Elements::next() {
  auto const* const value = read_next();
  if (value != nullptr && intake_.observe && !cut()) intake_.observe(read_ - 1, *value);
  return value;
}

bool Elements::may_hold(std::size_t bytes) const {
  constexpr std::size_t seldom = 64;
  return !intake_.may_hold || read_ % seldom != 0 || intake_.may_hold(bytes + bytes_read_);
}

boost::json::value const* Elements::read_next() {
  if (!text_) return read_ < values_.size() ? &values_[read_++] : nullptr;
  document_ = {};  // before its memory goes
  memory_.emplace(buffer_.data(), buffer_.size());
  auto const item = text_->next();
  if (!item) return nullptr;
  ++read_;
  bytes_read_ += item->size() + 1;
  auto document = schema::json::parse_partly(*item, {}, &*memory_);
  if (!document) {
    error_ = std::move(document).error();
    return nullptr;
  }
  document_ = *std::move(document);
  return &document_.value;
}

std::size_t Elements::count_estimated() const noexcept {
  if (!text_) return values_.size();
  return bytes_read_ == 0 ? 0 : read_ * (bytes_ / bytes_read_ + 1);
}

}  // namespace whence::net
