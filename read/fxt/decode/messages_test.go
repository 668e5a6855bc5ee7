package decode_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"dagscope/read/assemble"
)

// ranksOf are scripts of several ranks whose clocks differ by a second each;
// all left one barrier 1000 ns after their beginnings.
func ranksOf(t *testing.T, n int) (ranks []*script) {
	for r := range n {
		s := newScript(t, "1.4")
		s.add("MPI_START", r, n, 1)
		s.at(1000)
		s.add("MPI_BARRIER", r, n, 77, 0, 1)
		ranks = append(ranks, s)
	}
	return ranks
}

// messageRows writes the records of messages, one per line.
func messageRows(p *assemble.Parts) string {
	var s strings.Builder
	c := &p.Comm
	for i := range c.Src {
		fields := []string{
			decimal(int64(c.Src[i])), decimal(int64(c.Dst[i])), decimal(c.Tag[i]), decimal(c.Send[i]), decimal(c.Recv[i]),
			c.SendHandle.At(i), c.RecvHandle.At(i), c.SendJob.At(i), c.RecvJob.At(i), decimal(c.Bytes[i]), decimal(int64(c.Priority[i])), c.Mode.At(i),
		}
		s.WriteString(strings.Join(fields, " ") + "\n")
	}
	return s.String()
}

func TestMessages(t *testing.T) {
	ranks := ranksOf(t, 3)
	tag := int64(1) << 35
	ranks[0].at(2000).add("MPI_ISEND_SUBMIT_END", 0x100, 1, tag, 400, 30, 0xab10, 15, 1)
	ranks[0].at(2100).add("MPI_ISEND_SUBMIT_END", 0x101, 1, tag, 800, -1, 0xab10, -4, 1)
	ranks[2].at(2050).add("MPI_ISEND_SUBMIT_END", 0x100, 1, tag, 500, 9, 0xcd10, 0, 1)
	ranks[2].at(2060).add("MPI_ISEND_SUBMIT_END", 0x100, 7, tag, 500, 9, 0xcd10, 0, 1) // to nobody known
	// The receives of one tag are over in another order than they were sent in.
	ranks[1].at(2600).add("MPI_IRECV_TERMINATED", 2, tag, 16, 1, 0xef10)
	ranks[1].at(2700).add("MPI_IRECV_TERMINATED", 0, tag, 17, 1, 0xef20)
	ranks[1].at(2800).add("MPI_IRECV_TERMINATED", 0, tag, -1, 1, 0xef20)
	ranks[2].at(2900).add("MPI_IRECV_TERMINATED", 0, tag, -1, 1, 0xef20) // from nobody
	ranks[2].at(2910).add("MPI_IRECV_TERMINATED", 0, tag, -1, 1, 0xef20)
	p := decodeScripts(t, ranks...)
	check(t, "records", messageRows(p), ""+
		"0 1 34359738368 2000 2700 ab10 ef20 0_30 1_17 400 15 PointToPoint\n"+
		"2 1 34359738368 2050 2600 cd10 ef10 2_9 1_16 500 0 PointToPoint\n"+
		"0 1 34359738368 2100 2800 ab10 ef20   800 -4 Collective\n")
	check(t, "links", linkRows(p), ""+
		"mpicom_0 MPI communication 0_mpict 1_mpict 2000 2700 400 ab10\n"+
		"mpicom_1 MPI communication 2_mpict 1_mpict 2050 2600 500 cd10\n"+
		"mpicom_2 MPI communication 0_mpict 1_mpict 2100 2800 800 ab10\n")
	check(t, "edges", edgeRows(p), ""+
		"0_30 mpi_34359738368_0\nmpi_34359738368_0 1_17\n2_9 mpi_34359738368_1\nmpi_34359738368_1 1_16\n")
	for code, want := range map[string]int64{"send-without-receive": 1, "receive-without-send": 2} {
		if got := logged(p, code); got != want {
			t.Errorf("%s: found %d, wanted %d", code, got, want)
		}
	}
}

// logged is how often the log has a code.
func logged(p *assemble.Parts, code string) (n int64) {
	for i, count := range p.Log.Count {
		if p.Log.Code.At(i) == code {
			n += count
		}
	}
	return n
}

// accounted is how many events of a name went to a table.
func accounted(p *assemble.Parts, name, table string) (n int64) {
	for i, lines := range p.Account.Lines {
		if strings.HasSuffix(p.Account.Record.At(i), " "+name) && p.Account.Table.At(i) == table {
			n += lines
		}
	}
	return n
}

func edgeRows(p *assemble.Parts) string {
	var s strings.Builder
	for i := range p.Edge.From.Code {
		s.WriteString(p.Edge.From.At(i) + " " + p.Edge.To.At(i) + "\n")
	}
	return s.String()
}

// TestBandwidthOfMessages compares the bandwidths of ranks with a naive sum.
func TestBandwidthOfMessages(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 10 {
		ranks := ranksOf(t, 2)
		var out, in []amount
		sent, over := int64(2000), int64(2000)
		for range 30 {
			sent += random.Int64N(50)
			over = max(over, sent-20) + random.Int64N(50) // now and then before it was sent
			bytes := random.IntN(1e6)
			ranks[0].at(sent).add("MPI_ISEND_SUBMIT_END", 0x100, 1, 5, bytes, 30, 0xab10, 15, 1)
			ranks[1].at(over).add("MPI_IRECV_TERMINATED", 0, 5, 16, 1, 0xef10)
			out = append(out, amount{"0_mpict", min(sent, over), max(sent, over), float64(bytes) / 1e6})
			in = append(in, amount{"1_mpict", min(sent, over), max(sent, over), float64(bytes) / 1e6})
		}
		p := decodeScripts(t, ranks...)
		checkRates(t, "bandwidth out", curves(t, p, "Bandwidth Out (MB/s)")["0_mpict"], out, "0_mpict")
		checkRates(t, "bandwidth in", curves(t, p, "Bandwidth In (MB/s)")["1_mpict"], in, "1_mpict")
	}
}

func TestStealsAreNumberedOverRanks(t *testing.T) {
	ranks := ranksOf(t, 2)
	for _, s := range ranks {
		s.machine(2)
		s.at(3000).add("WORK_STEALING", 1, 0)
		s.at(3100).add("WORK_STEALING", 0, 1)
	}
	var keys []string
	p := decodeScripts(t, ranks...)
	for i := range p.Link.Start {
		keys = append(keys, p.Link.Key.At(i))
	}
	check(t, "keys", strings.Join(keys, " "), "steal_0 steal_1 steal_2 steal_3")
}

// TestMessagesOfManyRanks wants one spelling of ranks everywhere, where StarPU's
// converter has "03_" in some places and "3_" in others.
func TestMessagesOfManyRanks(t *testing.T) {
	ranks := ranksOf(t, 11)
	ranks[3].at(2000).add("MPI_ISEND_SUBMIT_END", 0x100, 10, 5, 400, 30, 0xab10, 15, 1)
	ranks[10].at(2700).add("MPI_IRECV_TERMINATED", 3, 5, 17, 1, 0xef20)
	p := decodeScripts(t, ranks...)
	check(t, "records", messageRows(p), "3 10 5 2000 2700 ab10 ef20 03_30 10_17 400 15 PointToPoint\n")
	check(t, "links", linkRows(p), "mpicom_0 MPI communication 03_mpict 10_mpict 2000 2700 400 ab10\n")
	check(t, "edges", edgeRows(p), "03_30 mpi_5_0\nmpi_5_0 10_17\n")
}
