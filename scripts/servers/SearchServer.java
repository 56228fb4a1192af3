import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.codelibs.opensearch.runner.node.OpenSearchRunnerNode;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;

/** One OpenSearch node in this process: its settings are given as key=value arguments. */
public final class SearchServer {
  public static void main(String[] arguments) throws Exception {
    Settings.Builder settings = Settings.builder();
    for (String argument : arguments) {
      int equals = argument.indexOf('=');
      settings.put(argument.substring(0, equals), argument.substring(equals + 1));
    }
    Settings built = settings.build();
    Path home = Path.of(built.get("path.home"));
    OpenSearchRunnerNode node =
        new OpenSearchRunnerNode(
            new Environment(built, home.resolve("config")),
            List.of(
                org.opensearch.transport.Netty4Plugin.class,
                org.opensearch.analysis.common.CommonAnalysisPlugin.class,
                org.opensearch.index.mapper.MapperExtrasPlugin.class,
                org.opensearch.index.reindex.ReindexPlugin.class,
                org.opensearch.painless.PainlessPlugin.class,
                org.opensearch.knn.plugin.KNNPlugin.class));
    CountDownLatch closed = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  try {
                    node.close();
                  } catch (Exception error) {
                    System.err.println("closing failed: " + error);
                  } finally {
                    closed.countDown();
                  }
                }));
    node.start();
    closed.await();
  }
}
