// heddle-mpi: `heddle reshard` by one process a device, over MPI.
//
//   mpirun -n 4 heddle-mpi reshard 'model-*.safetensors' --from … --to … -o narrow

#include <mpi.h>

#include <iostream>
#include <sstream>
#include <string_view>

#include "heddle-mpi/mpi_transport.h"
#include "heddle/command_line.h"
#include "heddle/console.h"

namespace {

using heddle::app::ExitCode;

/// Keeps what this process prints, until it is wanted.
class HeldOutput {
 public:
  HeldOutput()
      : out_(std::cout.rdbuf(kept_out_.rdbuf())), err_(std::cerr.rdbuf(kept_err_.rdbuf())) {}
  HeldOutput(const HeldOutput&) = delete;
  HeldOutput& operator=(const HeldOutput&) = delete;
  ~HeldOutput() {
    std::cout.rdbuf(out_);
    std::cerr.rdbuf(err_);
  }

  void print() const {
    std::ostream(out_) << kept_out_.str() << std::flush;
    std::ostream(err_) << kept_err_.str() << std::flush;
  }

 private:
  std::ostringstream kept_out_;
  std::ostringstream kept_err_;
  std::streambuf* out_;
  std::streambuf* err_;
};

/// Whoever is refused alone does not wait for the others, which wait for it.
void end(ExitCode code, heddle::mpi::MpiTransport& transport) {
  if (!transport.has_left()) transport.end(code == ExitCode::kDone);
}

/// All processes find the same, unless one of them fails alone: the first one prints it.
ExitCode run(int argc, char** argv, heddle::mpi::MpiTransport& transport) {
  if (transport.rank() == 0) {
    const ExitCode code =
        heddle::app::flushed(heddle::app::run_command_line(argc, argv, transport));
    end(code, transport);
    return code;
  }
  const HeldOutput held;
  const ExitCode code = heddle::app::run_command_line(argc, argv, transport);
  end(code, transport);
  if (transport.has_left()) held.print();
  return code;
}

/// The other commands are for one process.
bool is_for_several(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "reshard") return true;
    if (!word.starts_with('-')) return false;
    if (word == "--version" || word == "--help" || word == "-h") return true;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  // The line of progress has a thread of its own, which does not call MPI.
  int threads = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
  heddle::mpi::MpiTransport transport;
  ExitCode code = ExitCode::kUsage;
  if (is_for_several(argc, argv)) {
    code = run(argc, argv, transport);
  } else if (transport.rank() == 0) {
    std::cerr << "error usage.option: heddle-mpi has one command, reshard; heddle has all others\n";
  }
  if (transport.has_left()) MPI_Abort(MPI_COMM_WORLD, static_cast<int>(code));
  MPI_Finalize();
  return static_cast<int>(code);
}
