// The order of the checks of a record: one form, bounds of members, times, joined checks.
#include "schema/records/check.hpp"

#include "schema/base/report.hpp"
#include "schema/checks/bounds.hpp"
#include "schema/records/record_fields.hpp"
#include "schema/records/rules.hpp"
#include "schema/types/own_time.hpp"

#include <string_view>

namespace whence::schema {
namespace {

void report_future(Time time, Time latest, std::string_view member, std::string seen, Path const& root,
                   Report& report) {
  if (time > latest) report.add(Path{root, member}, "future", seen, "lies in the future");
}
void check_moment(Time time, Time latest, std::string_view member, Path const& root, Report& report) {
  report_future(time, latest, member, format_rfc3339(time), root, report);
}
void check_moment(EpochMs time, Time latest, std::string_view member, Path const& root, Report& report) {
  report_future(time_of(time), latest, member, shown(time.value), root, report);
}
template <class T>
void check_moment(std::optional<T> const& time, Time latest, std::string_view member, Path const& root,
                  Report& report) {
  if (time) check_moment(*time, latest, member, root, report);
}

template <class T>
void check_times(T const& record, Time latest, Path const& root, Report& report) {
  if constexpr (has_own_time<T>) {
    check_moment(record.*own_time_field<T>().member, latest, own_time_field<T>().name, root, report);
  }
  if constexpr (requires { record.updated_at; }) check_moment(record.updated_at, latest, "updatedAt", root, report);
}

template <class T>
void check_record(T& record, CheckContext const& context, Report& report) {
  Path const root;
  if constexpr (requires { prepare(record, context); }) prepare(record, context);
  check_bounds(record, Rule{}, root, report);
  check_times(record, context.latest_time, root, report);
  if constexpr (requires { check_joined(record, context, root, report); }) {
    check_joined(record, context, root, report);
  }
}

}  // namespace

void check(IncomingRecord& incoming, CheckContext const& context) {
  if (!incoming.is_usable) return;
  Report report{incoming.violations};
  std::visit([&](auto& record) { check_record(record, context, report); }, incoming.record);
}

}  // namespace whence::schema
