// The catalogue of record types agrees with the field tables and with the dispatch made from it.
#include "schema/records/record_fields.hpp"
#include "schema/records/records.hpp"

#include <set>
#include <string_view>
#include <utility>

#include <boost/test/unit_test.hpp>

namespace whence::schema {
namespace {

/// Calls `visit` with a blank record of each type.
template <class Visit>
void for_each_type(Visit const& visit) {
  for (RecordTypeInfo const& row : record_types()) {
    auto const record = blank_record(row.type);
    BOOST_REQUIRE(record.has_value());
    BOOST_TEST_CONTEXT(row.name) {
      std::visit([&](auto const& each) { visit(row, each); }, *record);
    }
  }
}

template <class T>
std::set<std::string_view> member_names() {
  std::set<std::string_view> names;
  for_each_field<T>([&](auto const& field) { names.insert(field.name); });
  return names;
}

BOOST_AUTO_TEST_CASE(catalogue_names_members_of_the_field_tables) {
  for_each_type([]<class T>(RecordTypeInfo const& row, T const& /*record*/) {
    auto const names = member_names<T>();
    for (auto const name : row.label_members) BOOST_TEST(names.contains(name), name);
    for (auto const name : row.search_members) BOOST_TEST(names.contains(name), name);
    BOOST_TEST((row.time_member.empty() || names.contains(row.time_member)));
  });
}

BOOST_AUTO_TEST_CASE(record_with_a_time_names_it_in_the_catalogue) {
  for_each_type([]<class T>(RecordTypeInfo const& row, T const& /*record*/) {
    constexpr bool has_time = requires(T each) {
      each.timestamp;
    }
    || requires(T each) {
      each.created_at;
    };
    BOOST_TEST(!row.time_member.empty() == has_time);
  });
}

BOOST_AUTO_TEST_CASE(blank_records_are_of_the_type_asked_for) {
  for_each_type([]<class T>(RecordTypeInfo const& row, T const& record) {
    BOOST_TEST(T::record_type == row.type);
    BOOST_TEST(type_of(Record{record}) == row.type);
    BOOST_TEST((record == T{}));
  });
  BOOST_TEST(!blank_record(static_cast<RecordType>(0)).has_value());
  BOOST_TEST(!blank_record(static_cast<RecordType>(record_type_count)).has_value());
}

BOOST_AUTO_TEST_CASE(bare_refs_start_with_a_prefix_that_no_other_type_makes) {
  std::set<std::string_view> prefixes;
  for (RecordTypeInfo const& row : record_types()) {
    if (!row.made_prefix.empty()) BOOST_TEST(prefixes.insert(row.made_prefix).second);
    if (row.has_bare_refs) BOOST_TEST(!row.made_prefix.empty());
  }
}

}  // namespace
}  // namespace whence::schema
