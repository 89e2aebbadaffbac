// A builder that leaves out what need not become values, while the whole text is checked. Items of a left-out array are
// found again by brackets and quotes alone, which relies on that check.
#include "schema/json/partial.hpp"

#include "schema/base/report.hpp"
#include "schema/json/builder.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace whence::schema::json {
namespace {

/// Scalars of the message's own object, beside `params`, that are built after the cut: its id, its version.
constexpr std::size_t values_beside_max = 1000;

constexpr std::string_view params_name = "params";
constexpr std::string_view white_space = " \t\r\n";

/// Invariants: 1. while something is left out nothing is put on the stack. 2. `Level::built` is how many items (or
/// members) of a level that is built are on the stack. 3. the whole text is checked, whatever is left out.
class PartialBuilder : public Builder {
 public:
  PartialBuilder(std::string_view text, PartialOptions const& options, bj::storage_ptr storage)
      : Builder(std::move(storage)), text_(text), options_(options) {}

  void describe(PartialDocument& document) {
    document.arrays = std::move(arrays_);
    document.root_items = root_items_;
    document.cut = std::move(cut_);
  }

  bool on_array_begin(bj::error_code& /*ec*/) {
    begin(true);
    return true;
  }
  bool on_object_begin(bj::error_code& /*ec*/) {
    begin(false);
    return true;
  }
  bool on_array_end(std::size_t count, bj::error_code& ec) {
    if (levels_.size() == 1) root_items_ = count;
    Level const ended = end();
    if (ended.is_built) {
      bool const is_on = Builder::on_array_end(ended.built, ec);
      end_left_out();
      return is_on;
    }
    bool const is_array_of_text = left_out_ == LeftOut::array && levels_.size() == left_out_at_;
    end_left_out();
    if (!is_array_of_text) return true;
    ++levels_.back().built;
    return count == 0 ? Builder::on_array_end(0, ec) : Builder::on_null(ec) && Builder::on_array_end(1, ec);
  }
  bool on_object_end(std::size_t /*count*/, bj::error_code& ec) {
    Level const ended = end();
    if (ended.is_built) {
      bool const is_on = Builder::on_object_end(ended.built, ec);
      end_left_out();
      return is_on;
    }
    end_left_out();
    return true;
  }
  bool on_key_part(bj::string_view part, std::size_t length, bj::error_code& ec) {
    is_key_in_parts_ = true;
    key_.append(part.data(), part.size());
    return is_left_out() || Builder::on_key_part(part, length, ec);
  }
  bool on_key(bj::string_view rest, std::size_t length, bj::error_code& ec) {
    bool const is_whole = !std::exchange(is_key_in_parts_, false) && is_of_text(rest);
    Level& level = levels_.back();
    level.name = is_whole ? std::string_view{rest.data(), rest.size()} : std::string_view{};
    level.spelt_otherwise = is_whole ? std::string{} : std::exchange(key_, {}).append(rest.data(), rest.size());
    if (is_left_out()) return true;
    if (!arrays_.empty()) drop_repeated();
    ++values_;
    return Builder::on_key(rest, length, ec);
  }
  bool on_string_part(bj::string_view part, std::size_t length, bj::error_code& ec) {
    if (!std::exchange(is_string_in_parts_, true)) is_string_wanted_ = wants_value();
    return !is_string_wanted_ || Builder::on_string_part(part, length, ec);
  }
  bool on_string(bj::string_view rest, std::size_t length, bj::error_code& ec) {
    bool const is_wanted = std::exchange(is_string_in_parts_, false) ? is_string_wanted_ : wants_value();
    return !is_wanted || Builder::on_string(rest, length, ec);
  }
  bool on_int64(std::int64_t value, bj::string_view text, bj::error_code& ec) {
    return !wants_value() || Builder::on_int64(value, text, ec);
  }
  bool on_uint64(std::uint64_t value, bj::string_view text, bj::error_code& ec) {
    return !wants_value() || Builder::on_uint64(value, text, ec);
  }
  bool on_double(double rough, bj::string_view text, bj::error_code& ec) {
    if (wants_value()) return Builder::on_double(rough, text, ec);
    constexpr double surely_finite = 1e300;
    bool const is_whole = text.find_first_of(".eE") == bj::string_view::npos;
    if (!is_whole && std::abs(rough) < surely_finite) return true;
    auto const value = exact_double(rough, text, ec);
    if (value) note_inexact(text);
    return value.has_value();
  }
  bool on_bool(bool value, bj::error_code& ec) { return !wants_value() || Builder::on_bool(value, ec); }
  bool on_null(bj::error_code& ec) { return !wants_value() || Builder::on_null(ec); }

 private:
  enum class LeftOut : std::uint8_t {
    nothing,
    array,   ///< that stays text
    beyond,  ///< items of the root that are not wanted
    rest,    ///< what follows the cut
  };

  struct Level {
    bool is_array = false;
    bool is_built = true;
    std::size_t items = 0;       ///< read
    std::size_t built = 0;       ///< of them on the stack
    std::string_view name = {};  ///< of the member being read, in the text; empty where that spells it with escapes
    std::string spelt_otherwise = {};  ///< the name then
  };

  [[nodiscard]] bool is_left_out() const noexcept { return left_out_ != LeftOut::nothing; }

  [[nodiscard]] bool is_of_text(bj::string_view part) const noexcept {
    std::less_equal<> const is_before;
    return is_before(text_.data(), part.data()) && is_before(part.data() + part.size(), text_.data() + text_.size());
  }

  /// Whether the value that begins is put on the stack.
  bool wants_value() {
    if (levels_.empty()) return true;
    Level& level = levels_.back();
    ++level.items;
    if (is_left_out() || is_beyond()) return false;
    if (++values_ > values_max + (levels_.size() == 1 ? values_beside_max : 0)) {
      cut();
      return false;
    }
    ++level.built;
    return true;
  }

  [[nodiscard]] bool is_beyond() const noexcept {
    return levels_.size() == 1 && levels_.front().is_array && levels_.front().items > options_.root_items_max;
  }

  void begin(bool is_array) {
    bool const is_text = is_array && is_array_of_text();
    bool is_built = !is_text && wants_value();
    if (is_text) ++levels_.back().items;
    if (!is_built && !is_left_out()) leave_out(is_text ? LeftOut::array : LeftOut::beyond, levels_.size());
    levels_.push_back({.is_array = is_array, .is_built = is_built});
  }

  Level end() {
    Level ended = levels_.back();
    levels_.pop_back();
    return ended;
  }

  void leave_out(LeftOut what, std::size_t at) {
    left_out_ = what;
    left_out_at_ = at;
  }

  /// What is left out ends where its level does.
  void end_left_out() {
    if (levels_.size() == left_out_at_) left_out_ = LeftOut::nothing;
  }

  /// The request's object is the root, or an item of it.
  [[nodiscard]] std::size_t request_level() const noexcept { return levels_.front().is_array ? 1 : 0; }

  /// Notes the array that begins, where it is one of those wanted.
  bool is_array_of_text() {
    if (is_left_out() || levels_.empty() || levels_.size() != request_level() + 2 || is_beyond()) return false;
    if (levels_[request_level()].is_array || levels_.back().is_array) return false;
    std::string_view const name = levels_.back().name;
    if (levels_[request_level()].name != params_name || name.empty()) return false;
    if (std::ranges::find(options_.names, name) == options_.names.end()) return false;
    auto const from = static_cast<std::size_t>(name.data() - text_.data()) + name.size();
    arrays_.push_back({.request = request_place(), .name = name, .text = text_.substr(text_.find('[', from))});
    return true;
  }

  [[nodiscard]] std::size_t request_place() const noexcept {
    return request_level() == 0 ? 0 : levels_.front().items - 1;
  }

  /// Of members of one name the last counts.
  void drop_repeated() {
    std::size_t const at = levels_.size() - 1 - std::min(levels_.size() - 1, request_level());
    std::string_view const name = levels_.back().name;
    bool const is_params = at == 0 && levels_.size() > request_level() && name == params_name;
    bool const is_member = at == 1 && levels_[request_level()].name == params_name;
    if (!is_params && !is_member) return;
    std::erase_if(arrays_, [&](TextArray const& each) {
      return each.request == request_place() && (is_params || each.name == name);
    });
  }

  [[nodiscard]] static std::string step_of(Level const& level) {
    if (level.is_array) return std::to_string(level.items - 1);
    return level.name.empty() ? level.spelt_otherwise : std::string(level.name);
  }

  /// The rest of `params` is left out where a single request's are cut, so that its id may follow; otherwise all of it.
  void cut() {
    if (!cut_) {
      cut_.emplace();
      for (Level const& level : levels_) {
        append_step(*cut_, step_of(level));
        if (cut_->size() > limits::seen_bytes_max) break;
      }
    }
    Level& level = levels_.back();
    if (!level.is_array) {
      bj::error_code ec;
      Builder::on_null(ec);
      ++level.built;
    }
    leave_out(LeftOut::rest, !levels_.front().is_array && levels_.size() > 1 ? 1 : 0);
  }

  std::string_view const text_;
  PartialOptions const options_;
  std::vector<Level> levels_;
  std::vector<TextArray> arrays_;
  std::size_t values_ = 0;
  std::size_t root_items_ = 0;
  LeftOut left_out_ = LeftOut::nothing;
  std::size_t left_out_at_ = 0;  ///< levels open around what is left out
  bool is_key_in_parts_ = false;
  std::string key_;  ///< its parts
  bool is_string_in_parts_ = false;
  bool is_string_wanted_ = false;
  std::optional<std::string> cut_;
};

/// The place behind the string that begins `text`: at the first quotation mark after an even number of backslashes. Two
/// characters sought at once (`find_first_of`) take ten times as long as one.
std::size_t end_of_string(std::string_view text) {
  for (std::size_t mark = text.find('"', 1); mark != std::string_view::npos; mark = text.find('"', mark + 1)) {
    std::size_t escapes = 0;
    while (text[mark - 1 - escapes] == '\\') ++escapes;  // the mark that begins the string is none
    if (escapes % 2 == 0) return mark + 1;
  }
  return text.size();
}

/// Where the well-formed value that `text` begins with ends, with the white space behind it: at a comma or a bracket.
std::size_t end_of_item(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
      case '"':
        at += end_of_string(text.substr(at)) - 1;
        break;
      case '[':
      case '{':
        ++depth;
        break;
      case ']':
      case '}':
        if (depth == 0) return at;
        --depth;
        break;
      case ',':
        if (depth == 0) return at;
        break;
      default:
        break;
    }
  }
  return text.size();
}

}  // namespace

Result<PartialDocument> parse_partly(std::string_view text, PartialOptions const& options, bj::storage_ptr storage) {
  bj::parse_options settings;
  settings.max_depth = limits::json_depth_max;
  bj::basic_parser<PartialBuilder> parser{settings, text, options, std::move(storage)};
  bj::error_code ec;
  std::size_t const consumed = parser.write_some(false, text.data(), text.size(), ec);
  if (ec) return parse_failure(ec.message(), text, consumed);
  if (consumed < text.size()) return parse_failure("text after the end of the value", text, consumed);
  PartialDocument document;
  document.value = parser.handler().release();
  parser.handler().describe(document);
  if (document.cut) return document;  // what is wrong with it is known
  auto places = find_places(parser.handler(), document.value, text, settings);
  if (!places) return std::move(places).error();
  document.duplicates = std::move(places->duplicates);
  document.inexact = std::move(places->inexact);
  document.has_more_places = places->are_too_many;
  return document;
}

std::string_view whole_array(std::string_view text) {
  return text.substr(0, end_of_item(text));
}

ArrayItems::ArrayItems(std::string_view text) : rest_(text.substr(1)) {}

std::optional<std::string_view> ArrayItems::next() {
  rest_.remove_prefix(std::min(rest_.find_first_not_of(white_space), rest_.size()));
  if (rest_.empty() || rest_.front() == ']') return std::nullopt;
  std::size_t const end = end_of_item(rest_);
  std::string_view const item = rest_.substr(0, end);
  rest_.remove_prefix(end < rest_.size() && rest_[end] == ',' ? end + 1 : end);
  return item;
}

}  // namespace whence::schema::json
