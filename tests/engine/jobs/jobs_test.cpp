// Background jobs: their life, their limits, and that nothing waits for the disk.

#include "engine/jobs/jobs.hpp"

#include "tests/support/fixtures.hpp"
#include "tests/support/wait_until.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

namespace fs = std::filesystem;
using engine::JobContext;
using engine::JobOutput;
using engine::Jobs;
using engine::JobState;
using engine::JobStatus;

/// Writes one file with this text.
engine::JobWork writing(std::string text) {
  return [text = std::move(text)](JobContext const& context) -> Result<JobOutput> {
    auto const file = context.files.open("a.txt");
    file->write(text);
    context.progress(1, 1);
    return JobOutput{.files = {file->finish()}, .text = "one file"};
  };
}

/// Signals that it runs, then runs until it is interrupted.
engine::JobWork endless(std::latch& begun) {
  return [&begun](JobContext const& context) -> Result<JobOutput> {
    auto const file = context.files.open("a.txt");
    file->write("some");
    begun.count_down();
    static_cast<void>(wait_until([&] { return context.interrupt.check(1) != schema::Stop::none; }));
    return Error{.code = Errc::cancelled, .message = "interrupted"};
  };
}

struct JobsWorld {
  [[nodiscard]] engine::JobsConfig config() const { return {.folder = directory.path() / "jobs"}; }

  void start(std::string const& name, engine::JobWork work) {
    auto const started = jobs->start({.name = name, .tx = schema::TxId{7}, .work = std::move(work)});
    BOOST_REQUIRE(started.has_value());
  }

  /// The status when it is no longer `running`.
  JobStatus wait(std::string const& name) {
    BOOST_REQUIRE(wait_until([&] { return jobs->status(name).value().state != JobState::running; }));
    return jobs->status(name).value();
  }

  [[nodiscard]] bool has_files() const {
    auto const folder = directory.path() / "jobs";
    return fs::exists(folder) && !fs::is_empty(folder);
  }

  TemporaryDirectory directory;
  std::unique_ptr<Jobs> jobs = std::make_unique<Jobs>(config());
};

BOOST_AUTO_TEST_SUITE(background_jobs)

BOOST_FIXTURE_TEST_CASE(a_finished_job_has_its_files_and_its_text, JobsWorld) {
  start("job_1", writing("hello"));
  auto const status = wait("job_1");
  BOOST_TEST((status.state == JobState::done));
  BOOST_TEST(schema::number(status.tx) == 7);
  BOOST_TEST(status.done == 1);
  BOOST_REQUIRE(status.output != nullptr);
  BOOST_TEST(status.output->text == "one file");
  BOOST_REQUIRE(status.output->files.size() == 1);
  BOOST_TEST(status.output->files.front().bytes == 5);
  auto const file = jobs->find_file("job_1", "a.txt");
  BOOST_REQUIRE(file.has_value());
  BOOST_TEST(fs::file_size(file->path) == 5);
  BOOST_TEST(file->sha256 == schema::sha256("hello"));
  BOOST_TEST(!jobs->find_file("job_1", "b.txt").has_value());
  BOOST_TEST(!jobs->find_file("job_2", "a.txt").has_value());
}

BOOST_FIXTURE_TEST_CASE(work_is_destroyed_when_it_has_run, JobsWorld) {
  auto const held = std::make_shared<int>(1);
  start("job_1", [held](JobContext const&) -> Result<JobOutput> { return JobOutput{}; });
  wait("job_1");
  BOOST_TEST(held.use_count() == 1);
}

BOOST_FIXTURE_TEST_CASE(a_job_that_may_have_what_was_purged_fails_and_loses_its_files, JobsWorld) {
  std::latch begun{1};
  start("done", writing("hello"));
  wait("done");
  start("running", endless(begun));
  begun.wait();
  jobs->end_before(schema::TxId{7});  // what they work on came after it
  BOOST_TEST(jobs->find_file("done", "a.txt").has_value());
  BOOST_TEST((jobs->status("running").value().state == JobState::running));
  jobs->end_before(schema::TxId{8});
  for (auto const* const name : {"done", "running"}) {
    auto const status = wait(name);
    BOOST_TEST((status.state == JobState::failed), name);
    BOOST_TEST((status.error.value().code == Errc::purged), name);
    BOOST_TEST(!jobs->find_file(name, "a.txt").has_value(), name);
  }
  BOOST_TEST(wait_until([&] { return !has_files(); }));
  BOOST_TEST((jobs->status("running").value().state == JobState::failed));
}

BOOST_FIXTURE_TEST_CASE(a_failed_job_reports_its_error_and_leaves_no_file, JobsWorld) {
  struct Failure {
    std::string name;
    engine::JobWork work;
    Errc code;
  };
  std::vector<Failure> const failures = {
      {"returned",
       [](JobContext const&) -> Result<JobOutput> {
         return Error{Errc::corrupt, "damaged"};
       },
       Errc::corrupt},
      {"thrown", [](JobContext const&) -> Result<JobOutput> { throw std::runtime_error("broken"); },
       Errc::internal_error},
      {"full disk",
       [](JobContext const& context) -> Result<JobOutput> {
         context.files.open("a.txt")->write("some");
         throw std::system_error(std::make_error_code(std::errc::no_space_on_device), "write");
       },
       Errc::storage_full},
      {"file at its size limit",
       [](JobContext const&) -> Result<JobOutput> {
         throw std::system_error(std::make_error_code(std::errc::file_too_large), "write");
       },
       Errc::storage_full},
  };
  for (auto const& each : failures) {
    BOOST_TEST_CONTEXT(each.name) {
      start(each.name, each.work);
      auto const status = wait(each.name);
      BOOST_TEST((status.state == JobState::failed));
      BOOST_REQUIRE(status.error.has_value());
      BOOST_TEST(status.error->code == each.code);
      BOOST_TEST(!has_files());
    }
  }
}

BOOST_FIXTURE_TEST_CASE(cancelling_a_running_job_interrupts_it_and_removes_what_it_wrote, JobsWorld) {
  std::latch begun{1};
  start("job_1", endless(begun));
  begun.wait();
  BOOST_TEST(has_files());
  BOOST_TEST(jobs->cancel("job_1"));
  BOOST_TEST((jobs->status("job_1")->state == JobState::cancelled));
  BOOST_REQUIRE(wait_until([&] { return !has_files(); }));
  BOOST_TEST((jobs->status("job_1")->state == JobState::cancelled));
  BOOST_TEST(!jobs->cancel("job_2"));
}

BOOST_FIXTURE_TEST_CASE(cancelling_a_finished_job_removes_its_files_before_it_returns, JobsWorld) {
  start("job_1", writing("hello"));
  wait("job_1");
  BOOST_TEST(jobs->cancel("job_1"));
  BOOST_TEST(!has_files());
  BOOST_TEST(!jobs->find_file("job_1", "a.txt").has_value());
  BOOST_TEST((jobs->status("job_1")->output == nullptr));
}

BOOST_FIXTURE_TEST_CASE(a_cancelled_job_that_waits_is_never_run, JobsWorld) {
  std::latch begun{2};
  start("first", endless(begun));
  start("second", endless(begun));
  begun.wait();
  std::atomic<bool> has_run = false;
  start("third", [&](JobContext const&) -> Result<JobOutput> {
    has_run = true;
    return JobOutput{};
  });
  BOOST_TEST((jobs->status("third")->state == JobState::running));
  for (auto const* const name : {"third", "second", "first"}) BOOST_TEST(jobs->cancel(name));
  start("fourth", writing("hello"));
  BOOST_TEST((wait("fourth").state == JobState::done));
  BOOST_TEST(!has_run.load());
}

BOOST_AUTO_TEST_CASE(the_number_of_jobs_is_bounded) {
  TemporaryDirectory const directory;
  Jobs jobs({.folder = directory.path() / "jobs", .jobs_max = 2});
  BOOST_TEST(jobs.start({.name = "a", .tx = schema::TxId{1}, .work = writing("")}).has_value());
  BOOST_TEST((jobs.start({.name = "a", .tx = schema::TxId{1}, .work = writing("")}).error().code == Errc::conflict));
  BOOST_TEST(jobs.start({.name = "b", .tx = schema::TxId{1}, .work = writing("")}).has_value());
  auto const refused = jobs.start({.name = "c", .tx = schema::TxId{1}, .work = writing("")});
  BOOST_REQUIRE(refused.has_error());
  BOOST_TEST(refused.error().code == Errc::limit_exceeded);
  BOOST_TEST(jobs.cancel("a"));
  BOOST_TEST(
      wait_until([&] { return jobs.start({.name = "c", .tx = schema::TxId{1}, .work = writing("")}).has_value(); }));
  BOOST_TEST(!jobs.status("a").has_value());
}

BOOST_FIXTURE_TEST_CASE(a_job_expires_with_its_files, JobsWorld) {
  auto brief = config();
  brief.kept_for = std::chrono::milliseconds{1};
  jobs = std::make_unique<Jobs>(brief);
  start("job_1", writing("hello"));
  BOOST_REQUIRE(wait_until([&] { return !jobs->status("job_1").has_value(); }));
  BOOST_REQUIRE(wait_until([&] { return !has_files(); }));
}

BOOST_FIXTURE_TEST_CASE(leftovers_of_an_earlier_process_are_removed_at_the_start, JobsWorld) {
  jobs.reset();
  fs::create_directories(directory.path() / "jobs" / "exp_old.partial-1");
  std::ofstream{directory.path() / "jobs" / "exp_old.partial-1" / "a.txt"} << "half";
  jobs = std::make_unique<Jobs>(config());
  BOOST_TEST(!has_files());
}

BOOST_FIXTURE_TEST_CASE(running_jobs_end_with_their_owner, JobsWorld) {
  std::latch begun{1};
  start("job_1", endless(begun));
  begun.wait();
  jobs.reset();
  BOOST_TEST(!fs::exists(directory.path() / "jobs"));
}

// Claim: status answers while a folder is being removed, however long that takes. Method: a removal of a real folder of
// many files that ends only after another thread has had its answer; waiting for each other would fail the test.
BOOST_AUTO_TEST_CASE(status_answers_while_a_large_folder_is_being_removed) {
  constexpr int files = 2000;
  TemporaryDirectory const directory;
  auto const folder = directory.path() / "jobs";
  std::latch removing{1};
  std::latch answered{1};
  std::atomic<bool> was_answered_in_time = false;
  auto const slow_removal = [&](fs::path const& path) {
    if (path == folder) return store::remove_tree(path);  // at the start and at the end
    removing.count_down();
    was_answered_in_time = wait_until([&] { return answered.try_wait(); });
    store::remove_tree(path);
  };
  Jobs jobs({.folder = folder, .remove_tree = slow_removal});
  auto const many_files = [](JobContext const& context) -> Result<JobOutput> {
    JobOutput output;
    for (int i = 0; i < files; ++i) {
      auto const file = context.files.open("file_" + std::to_string(i));
      file->write("x");
      output.files.push_back({.name = "file_" + std::to_string(i), .bytes = 1});
    }
    return output;
  };
  BOOST_REQUIRE(jobs.start({.name = "large", .tx = schema::TxId{1}, .work = many_files}).has_value());
  BOOST_REQUIRE(wait_until([&] { return jobs.status("large")->state != JobState::running; }));
  BOOST_REQUIRE((jobs.status("large")->state == JobState::done));
  bool is_cancelled = false;
  std::jthread canceller([&] { is_cancelled = jobs.cancel("large"); });
  removing.wait();
  auto const before = std::chrono::steady_clock::now();
  auto const status = jobs.status("large");
  BOOST_REQUIRE(status.has_value());
  BOOST_TEST((status->state == JobState::cancelled));
  BOOST_TEST(!jobs.find_file("large", "file_0").has_value());
  BOOST_TEST(jobs.start({.name = "next", .tx = schema::TxId{1}, .work = writing("hello")}).has_value());
  BOOST_TEST((std::chrono::steady_clock::now() - before < std::chrono::seconds{10}));
  BOOST_TEST(static_cast<int>(std::distance(fs::directory_iterator{folder / "large"}, {})) == files);
  answered.count_down();
  canceller.join();
  BOOST_TEST(is_cancelled);
  BOOST_TEST(was_answered_in_time.load());
  BOOST_TEST(!fs::exists(folder / "large"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
