// The machine as the kernel's files describe it, and samples of metrics: states that a test cannot bring about.

#include "tools/cli/doctor/machine.hpp"

#include "engine/engine.hpp"
#include "schema/base/time.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/fixtures.hpp"
#include "tools/cli/doctor/server_health.hpp"
#include "tools/cli/doctor/store_health.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include <boost/test/unit_test.hpp>

using namespace whence;
using namespace whence::tools;

BOOST_AUTO_TEST_SUITE(doctor)

namespace {

struct KernelFiles {
  test::TemporaryDirectory directory;

  void put(std::string const& name, std::string const& text) const {
    auto const file = directory.path() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream{file} << text;
  }
};

Severity severity_of(Findings const& findings, std::string const& what) {
  auto const& all = findings.all();
  auto const found = std::find_if(all.begin(), all.end(), [&](Finding const& each) { return each.what == what; });
  BOOST_REQUIRE_MESSAGE(found != all.end(), what);
  return found->severity;
}

Findings look(std::string_view metrics, std::int64_t now_s = 1'000'000) {
  Findings findings;
  look_at_samples(parse_samples(metrics), now_s, findings);
  return findings;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_least_limit_of_memory_counts) {
  KernelFiles const kernel;
  kernel.put("proc/meminfo", "MemTotal:       16777216 kB\nMemFree: 1 kB\n");
  BOOST_TEST(read_machine(kernel.directory.path()).memory_bytes == std::uint64_t{16} << 30);
  kernel.put("sys/fs/cgroup/memory.max", "max\n");
  BOOST_TEST(read_machine(kernel.directory.path()).memory_bytes == std::uint64_t{16} << 30);
  kernel.put("proc/self/cgroup", "0::/system.slice/whence.service\n");
  kernel.put("sys/fs/cgroup/system.slice/whence.service/memory.max", "1073741824\n");
  BOOST_TEST(read_machine(kernel.directory.path()).memory_bytes == std::uint64_t{1} << 30);
}

BOOST_AUTO_TEST_CASE(a_kernel_without_files_is_no_failure) {
  KernelFiles const kernel;
  Findings findings;
  look_at_machine(read_machine(kernel.directory.path()), findings);
  BOOST_CHECK(severity_of(findings, "memory") == Severity::warn);
}

BOOST_AUTO_TEST_CASE(settings_of_the_kernel_are_told) {
  KernelFiles const kernel;
  kernel.put("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
  kernel.put("proc/sys/vm/overcommit_memory", "2\n");
  Findings findings;
  look_at_machine(read_machine(kernel.directory.path()), findings);
  BOOST_CHECK(severity_of(findings, "huge-pages") == Severity::warn);
  BOOST_CHECK(severity_of(findings, "overcommit") == Severity::warn);
  kernel.put("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  BOOST_TEST(read_machine(kernel.directory.path()).huge_pages == "madvise");
}

BOOST_AUTO_TEST_CASE(file_systems_of_other_machines_are_refused) {
  BOOST_CHECK(file_system_of(0x6969).severity == Severity::fail);
  BOOST_CHECK(file_system_of(0xFF534D42).severity == Severity::fail);
  BOOST_CHECK(file_system_of(0x01021994).severity == Severity::warn);
  BOOST_CHECK(file_system_of(0xEF53).severity == Severity::ok);  // ext4
}

BOOST_AUTO_TEST_CASE(bounds_of_disk_map_and_time) {
  Findings findings;
  look_at_disk(std::uint64_t{1} << 20, 0, findings);
  look_at_disk(std::uint64_t{512} << 20, 0, findings);
  look_at_disk(std::uint64_t{10} << 30, std::uint64_t{30} << 30, findings);
  look_at_disk(std::uint64_t{20} << 30, std::uint64_t{30} << 30, findings);
  look_at_map(95, 100, findings);
  look_at_map(5, 100, findings);
  look_at_expiry("certificate", -5, "renew", findings);
  look_at_expiry("certificate", 13 * 86'400, "renew", findings);
  look_at_expiry("certificate", 15 * 86'400, "renew", findings);
  std::string told;
  for (auto const& each : findings.all()) told += std::string{schema::name_of(each.severity)} + " ";
  BOOST_TEST(told == "fail warn warn ok fail ok fail warn ok ");
}

BOOST_AUTO_TEST_CASE(a_clock_behind_the_last_commit_and_a_graph_beyond_memory) {
  test::TemporaryDirectory const directory;
  schema::SystemClock const clock;
  engine::RandomIds ids;
  {
    auto const engine = engine::Engine::open({.directory = directory.path() / "db"}, clock, ids);
    BOOST_REQUIRE(engine);
    BOOST_REQUIRE((*engine)->write(test::batch({test::unit("cu_1")})));
  }
  auto const now = clock.now().seconds;
  Findings right;
  look_at_store(directory.path() / "db", now, {.memory_bytes = 1'000}, right);
  BOOST_CHECK(severity_of(right, "graph-memory") == Severity::ok);
  Findings behind;
  look_at_store(directory.path() / "db", now - 3 * 86'400, {.memory_bytes = 1}, behind);
  BOOST_CHECK(severity_of(behind, "last-commit") == Severity::fail);
  BOOST_CHECK(severity_of(behind, "graph-memory") == Severity::fail);
}

BOOST_AUTO_TEST_CASE(samples_are_read_with_their_labels) {
  auto const samples = parse_samples(
      "# HELP a Says {x} 1.\n# TYPE a gauge\na 1\nb{namespace=\"x\",type=\"A b\"} 2.5\nb{namespace=\"y\"} 1e3\n"
      "broken\nbad nan?\n\nc{} 4");
  BOOST_TEST(samples.size() == 3U);
  BOOST_TEST(samples.at("b").size() == 2U);
  BOOST_TEST(samples.at("b")[0].labels == "namespace=\"x\",type=\"A b\"");
  BOOST_TEST(samples.at("b")[1].value == 1000);
  BOOST_TEST(samples.at("c")[0].value == 4);
}

BOOST_AUTO_TEST_CASE(a_server_that_is_in_trouble) {
  BOOST_CHECK(severity_of(look("whence_store_broken{namespace=\"a\"} 1\n"), "store") == Severity::fail);
  BOOST_CHECK(look("whence_store_broken 0\nwhence_search_stopped 0\n").all().empty());
  BOOST_CHECK(severity_of(look("whence_connections 95\nwhence_connections_max 100\n"), "connections") ==
              Severity::warn);
  BOOST_CHECK(severity_of(look("whence_log_connected 0\n"), "log") == Severity::fail);
  BOOST_CHECK(severity_of(look("whence_log_lag 5000\n"), "log-lag") == Severity::warn);
  BOOST_CHECK(severity_of(look("whence_tls_certificate_expiry_timestamp_seconds 999999\n"), "certificate") ==
              Severity::fail);
  BOOST_CHECK(severity_of(look("whence_clock_behind_seconds 60\n"), "clock") == Severity::warn);
}

BOOST_AUTO_TEST_CASE(each_store_of_a_server_is_looked_at) {
  auto const findings = look(
      "whence_store_bytes{namespace=\"a\"} 1000\nwhence_store_bytes{namespace=\"b\"} 1000\n"
      "whence_store_disk_free_bytes{namespace=\"a\"} 1000\nwhence_store_disk_free_bytes{namespace=\"b\"} 1e12\n"
      "whence_backup_timestamp_seconds{namespace=\"b\"} 999000\n");
  std::string told;
  for (auto const& each : findings.all()) told += each.what + " " + std::string{schema::name_of(each.severity)} + "; ";
  BOOST_TEST(told == "disk fail; backup warn; disk ok; backup ok; ");
}

BOOST_AUTO_TEST_SUITE_END()
