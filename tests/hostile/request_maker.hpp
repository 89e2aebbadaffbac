#pragma once
// Random requests that fit the server's own description.

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::test {

/// Makes requests from the methods of OpenRPC: enumerations, numbers at the ends of their ranges, moments of the past,
/// and what earlier answers held: refs, records, cursors, jobs. One thread at a time.
class RequestMaker {
 public:
  /// `described` outlives it.
  RequestMaker(boost::json::object const& described, std::uint64_t seed);

  /// A node to ask for, also one that is gone.
  void know(std::string ref);
  [[nodiscard]] boost::json::object make();
  /// Takes from an answer what later requests may name.
  void learn(std::string_view method, boost::json::object const& params, boost::json::value const& result);

  [[nodiscard]] std::size_t methods() const noexcept { return methods_.size(); }

 private:
  struct Page {
    std::string method;
    boost::json::object params;  ///< with the cursor
  };

  [[nodiscard]] std::size_t below(std::size_t end) { return chance_() % end; }
  [[nodiscard]] bool is_one_in(std::size_t count) { return below(count) == 0; }
  template <class Items>
  [[nodiscard]] auto const& any_of(Items const& items) {
    return items[below(items.size())];
  }

  [[nodiscard]] boost::json::object const& method();
  [[nodiscard]] boost::json::object params_of(boost::json::object const& method);
  void settle(std::string_view method, boost::json::object& params);
  [[nodiscard]] boost::json::value value(boost::json::value const& schema, std::string_view name, int depth);
  [[nodiscard]] boost::json::value number(boost::json::object const& schema, bool is_integer);
  [[nodiscard]] boost::json::value text(boost::json::object const& schema, std::string_view name);
  [[nodiscard]] boost::json::value array(boost::json::object const& schema, std::string_view name, int depth);
  [[nodiscard]] boost::json::value object(boost::json::object const& schema, int depth);
  [[nodiscard]] boost::json::array records();
  [[nodiscard]] boost::json::object conditions(std::string_view type);
  [[nodiscard]] boost::json::value moment();
  [[nodiscard]] std::string id_for(std::string_view name);

  boost::json::object const& schemas_;
  std::vector<boost::json::object const*> methods_;
  std::mt19937_64 chance_;
  std::vector<std::string> refs_;
  std::map<std::string, std::vector<std::string>, std::less<>> ids_;  ///< by type
  std::vector<boost::json::object> records_;
  std::vector<std::string> jobs_;
  std::vector<Page> pages_;
  std::uint64_t head_ = 0;
  std::uint64_t made_ = 0;
};

}  // namespace whence::test
